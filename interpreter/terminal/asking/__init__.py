"""Decisions as questions at the keyboard."""
