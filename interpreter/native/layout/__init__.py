"""Where everything lies in the memory of native code."""
