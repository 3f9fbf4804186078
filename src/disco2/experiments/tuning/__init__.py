"""The search for good settings: a study of trials, each a training judged on development relations."""
