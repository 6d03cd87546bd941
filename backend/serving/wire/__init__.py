"""What clients send and get: schemas, parsing, views of stored values, errors, event streams."""
