"""An inventory of invented flights, hotels and cars in real places, for working without a supplier.

What there is: `world` (with `demo.toml`), `timetable`, `hotels`, `cars`, kept in `inventory`. What a search
finds: `rules`, `journeys`, `flights`, and again `hotels` and `cars`. What is booked: `sales`, `bookings` over
`booking_database` (with `bookings.sql` and `migrations`). Tours: `tour_search`, `tours`. All: `provider`.
"""
