"""What PDTB 2 and PDTB 3 share: texts and layers of Wall Street Journal documents."""
