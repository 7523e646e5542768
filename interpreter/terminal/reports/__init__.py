"""What came of long work, as tables, drawings and lists."""
