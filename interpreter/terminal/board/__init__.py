"""Positions drawn: grids, tables of fields, boards."""
