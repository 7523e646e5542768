"""The fifth stage: typed, structured rules with every parameter folded in. All back ends read this, and only this."""
