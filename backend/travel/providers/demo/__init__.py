"""An inventory of invented flights and hotels in real places, for working without a supplier.

In order of generation: `noise`, `carriers`, `geography`, `routes`, `schedule`, `hotels`, `store`; in order of
searching: `sales_rules`, `fares` and `room_rates`, `journeys`, `flight_search` and `hotel_search`, `pace`,
`provider`; in order of booking: `selling`, `booking_rules`, `booking_store`, which is `file_bookings` (with
`booking_records` and `booking_file`) or `postgres_bookings` (with `migrations`), `bookings`.
"""
