"""Configuration -> trained models and figures."""
