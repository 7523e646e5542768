"""From the IR to the text of LLVM functions: expressions, statements, questions, rankings."""
