"""Rule text to a spanned tree. `grammar.lark` is the definition of the language's form.

Builds on `ir`.
"""
