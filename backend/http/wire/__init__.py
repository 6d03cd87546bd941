"""What clients send and get: schemas, parsing, answers, errors, event streams."""
