"""What disco2 doctor looks at: the surroundings, the model, and whether everything works together.

Every file here must survive the faults that it looks for, so heavy packages and rooms of ours are imported
inside the examinations, where a failure to import them is a finding.
"""
