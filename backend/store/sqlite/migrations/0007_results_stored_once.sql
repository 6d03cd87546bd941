-- The tables stay as they are. But a `status_update` is stored without its results from here on, which an
-- older server would send as it is: so that must not open the file.
SELECT 1;
