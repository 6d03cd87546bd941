"""The tools of the travel agents: searches, bookings, the itinerary planner."""
