"""How fast the product is, as ratios within one run: every figure stands beside a floor or a reference."""
