"""The symbolic run: rules carried out over linear expressions."""
