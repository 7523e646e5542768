"""The second stage: rule text to a spanned tree. `grammar.lark` is the definition of the language's form."""
