"""An inventory of invented flights, hotels and cars in real places, for working without a supplier.

What there is: `world` (with `demo.toml`), `hotels`, `cars`, and the file of `inventory`. What a search finds:
`journeys`, `flights`, and again `hotels` and `cars`. What is booked: `bookings` over `booking_database` (with
`bookings.sql` and `migrations`). Tours: `tours`. All: `provider`.
"""
