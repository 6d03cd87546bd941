"""Whether a message, or a part of it, is about flights, hotels, both or something else."""
