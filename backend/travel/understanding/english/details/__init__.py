"""What a message wants beside where and when: people, rooms, prices, cabins, airlines, hotels by name."""
