"""Cities of the Americas, as rows for `cities.py`, which explains the columns."""

ROWS = """
US|New York|New York|1|JFK EWR LGA|40.71 -74.01|NYC|NYC, New York City, Manhattan, Big Apple, NY
US|Los Angeles|California|1|LAX BUR|34.05 -118.24|LAX|LA, L.A., Hollywood
US|Chicago|Illinois|1|ORD MDW|41.88 -87.63|CHI|Windy City, Chi-Town, Chitown
US|San Francisco|California|1|SFO OAK|37.77 -122.42|QSF|SF, San Fran, Frisco, Bay Area
US|Oakland|California|3|OAK|37.80 -122.27||
US|San Jose|California|2|SJC|37.34 -121.89||Silicon Valley
US|Miami|Florida|1|MIA|25.76 -80.19||Miami Beach
US|Fort Lauderdale|Florida|2|FLL|26.12 -80.14||Ft Lauderdale, Ft. Lauderdale
US|Atlanta|Georgia|1|ATL|33.75 -84.39||
US|Dallas|Texas|1|DFW DAL|32.78 -96.80|DFW|Fort Worth
US|Houston|Texas|1|IAH HOU|29.76 -95.37|HOU|
US|Washington|District of Columbia|1|IAD DCA|38.91 -77.04|WAS|Washington DC, Washington D.C., DC, D.C.
US|Baltimore|Maryland|2|BWI|39.29 -76.61||
US|Boston|Massachusetts|1|BOS|42.36 -71.06||Beantown
US|Seattle|Washington|1|SEA|47.61 -122.33||
US|Denver|Colorado|1|DEN|39.74 -104.99||
US|Philadelphia|Pennsylvania|2|PHL|39.95 -75.17||Philly
US|Phoenix|Arizona|2|PHX|33.45 -112.07||Scottsdale
US|Las Vegas|Nevada|2|LAS|36.17 -115.14||Vegas
US|Orlando|Florida|2|MCO|28.54 -81.38||Disney World
US|Minneapolis|Minnesota|2|MSP|44.98 -93.27||Saint Paul, St Paul, Twin Cities
US|Detroit|Michigan|2|DTW|42.33 -83.05|DTT|
US|Charlotte|North Carolina|2|CLT|35.23 -80.84||
US|San Diego|California|2|SAN|32.72 -117.16||SD
US|Anaheim|California|3|SNA|33.84 -117.91||Santa Ana, Disneyland
US|Tampa|Florida|2|TPA|27.95 -82.46||
US|Saint Petersburg|Florida|3|PIE|27.77 -82.64||St Petersburg, St. Petersburg, St Pete
US|Portland|Oregon|2|PDX|45.52 -122.68||
US|Portland|Maine|3|PWM|43.66 -70.26||
US|Salt Lake City|Utah|2|SLC|40.76 -111.89||Salt Lake
US|Honolulu|Hawaii|2|HNL|21.31 -157.86||Hawaii, Oahu, Waikiki
US|Maui|Hawaii|3|OGG|20.89 -156.48||Kahului
US|Austin|Texas|2|AUS|30.27 -97.74||
US|San Antonio|Texas|3|SAT|29.42 -98.49||
US|Nashville|Tennessee|2|BNA|36.16 -86.78||
US|Memphis|Tennessee|3|MEM|35.15 -90.05||
US|New Orleans|Louisiana|2|MSY|29.95 -90.07||NOLA
US|Raleigh|North Carolina|3|RDU|35.78 -78.64||Durham
US|Saint Louis|Missouri|2|STL|38.63 -90.20||St Louis, St. Louis
US|Kansas City|Missouri|3|MCI|39.10 -94.58||
US|Springfield|Missouri|3|SGF|37.21 -93.29||
US|Springfield|Illinois|3|SPI|39.78 -89.65||
US|Cleveland|Ohio|3|CLE|41.50 -81.69||
US|Columbus|Ohio|3|CMH|39.96 -83.00||
US|Cincinnati|Ohio|3|CVG|39.10 -84.51||
US|Pittsburgh|Pennsylvania|3|PIT|40.44 -80.00||
US|Indianapolis|Indiana|3|IND|39.77 -86.16||
US|Milwaukee|Wisconsin|3|MKE|43.04 -87.91||
US|Sacramento|California|3|SMF|38.58 -121.49||
US|Buffalo|New York|3|BUF|42.89 -78.88||Niagara Falls
US|Rochester|New York|3|ROC|43.16 -77.61||
US|Rochester|Minnesota|3|RST|44.02 -92.47||
US|Manchester|New Hampshire|3|MHT|42.99 -71.46||
US|Birmingham|Alabama|3|BHM|33.52 -86.81||
US|Charleston|South Carolina|3|CHS|32.78 -79.93||
US|Savannah|Georgia|3|SAV|32.08 -81.09||
US|Jacksonville|Florida|3|JAX|30.33 -81.66||
US|Melbourne|Florida|3|MLB|28.08 -80.61||
US|Albuquerque|New Mexico|3|ABQ|35.08 -106.65||Santa Fe
US|Anchorage|Alaska|3|ANC|61.22 -149.90||Alaska
US|Boise|Idaho|3|BOI|43.62 -116.20||
US|Jackson|Wyoming|3|JAC|43.48 -110.76||Jackson Hole, Yellowstone
US|Hartford|Connecticut|3|BDL|41.77 -72.67||
US|San Juan|Puerto Rico|2|SJU|18.47 -66.11||Puerto Rico
CA|Toronto|Ontario|1|YYZ YTZ|43.65 -79.38|YTO|
CA|Vancouver|British Columbia|1|YVR|49.28 -123.12||
CA|Montreal|Quebec|1|YUL|45.50 -73.57|YMQ|Montréal
CA|Calgary|Alberta|2|YYC|51.05 -114.07||Banff
CA|Ottawa|Ontario|3|YOW|45.42 -75.70||
CA|Edmonton|Alberta|3|YEG|53.55 -113.49|YEA|
CA|Quebec City|Quebec|3|YQB|46.81 -71.21||Québec, Quebec
CA|Winnipeg|Manitoba|3|YWG|49.90 -97.14||
CA|Halifax|Nova Scotia|3|YHZ|44.65 -63.57||
CA|Sydney|Nova Scotia|3|YQY|46.14 -60.19||
CA|London|Ontario|3|YXU|42.98 -81.25||
CA|Victoria|British Columbia|3|YYJ|48.43 -123.37||
MX|Mexico City|Mexico City|1|MEX NLU|19.43 -99.13|MEX|Ciudad de México, Ciudad de Mexico, CDMX
MX|Cancún|Quintana Roo|2|CUN|21.16 -86.85||Riviera Maya, Playa del Carmen, Tulum
MX|Guadalajara|Jalisco|2|GDL|20.67 -103.35||
MX|Monterrey|Nuevo León|2|MTY|25.69 -100.32||
MX|Puerto Vallarta|Jalisco|3|PVR|20.65 -105.22||
MX|Los Cabos|Baja California Sur|3|SJD|22.89 -109.92||Cabo, Cabo San Lucas, San José del Cabo
MX|Mérida|Yucatán|3|MID|20.97 -89.62||
MX|Tijuana|Baja California|3|TIJ|32.51 -117.04||
MX|Oaxaca|Oaxaca|3|OAX|17.06 -96.72||
GT|Guatemala City||3|GUA|14.63 -90.51||Antigua Guatemala
CR|San José||2|SJO|9.93 -84.08||
CR|Liberia||3|LIR|10.63 -85.44||Guanacaste
PA|Panama City||1|PTY|8.98 -79.52||Ciudad de Panamá
SV|San Salvador||3|SAL|13.69 -89.22||
HN|San Pedro Sula||3|SAP|15.50 -88.03||
NI|Managua||3|MGA|12.11 -86.24||
BZ|Belize City||3|BZE|17.50 -88.20||Belize
CU|Havana||2|HAV|23.11 -82.37||La Habana
CU|Varadero||3|VRA|23.16 -81.25||
JM|Kingston||3|KIN|17.97 -76.79||
JM|Montego Bay||3|MBJ|18.47 -77.92||
DO|Santo Domingo||3|SDQ|18.47 -69.90||
DO|Punta Cana||2|PUJ|18.58 -68.40||
BS|Nassau||3|NAS|25.05 -77.35||Bahamas
BB|Bridgetown||3|BGI|13.10 -59.62||Barbados
TT|Port of Spain||3|POS|10.66 -61.51||Trinidad
AW|Aruba||3|AUA|12.52 -70.03||Oranjestad
CW|Curaçao||3|CUR|12.11 -68.93||Willemstad
SX|Sint Maarten||3|SXM|18.03 -63.05||Saint Martin, St Maarten, St. Maarten
LC|Saint Lucia||3|UVF|13.82 -61.02|SLU|St Lucia, St. Lucia, Castries
AG|Antigua||3|ANU|17.12 -61.85||Saint John's
GP|Guadeloupe||3|PTP|16.24 -61.53||Pointe-à-Pitre
MQ|Martinique||3|FDF|14.61 -61.07||Fort-de-France
BM|Bermuda||3|BDA|32.29 -64.78||
KY|Grand Cayman||3|GCM|19.30 -81.38||Cayman Islands, George Town
BR|São Paulo||1|GRU CGH VCP|-23.55 -46.63|SAO|Sao Paulo, Sampa
BR|Rio de Janeiro||2|GIG SDU|-22.91 -43.17|RIO|Rio
BR|Brasília||2|BSB|-15.79 -47.88||Brasilia
BR|Salvador||3|SSA|-12.97 -38.50||Bahia
BR|Recife||3|REC|-8.05 -34.88||
BR|Fortaleza||3|FOR|-3.73 -38.53||
BR|Belo Horizonte||3|CNF|-19.92 -43.94|BHZ|
BR|Porto Alegre||3|POA|-30.03 -51.23||
BR|Florianópolis||3|FLN|-27.60 -48.55||Floripa
BR|Manaus||3|MAO|-3.12 -60.02||
BR|Foz do Iguaçu||3|IGU|-25.55 -54.59||Iguazu, Iguaçu Falls, Iguazu Falls
AR|Buenos Aires||1|EZE AEP|-34.60 -58.38|BUE|
AR|Córdoba||3|COR|-31.42 -64.18||
AR|Mendoza||3|MDZ|-32.89 -68.84||
AR|Bariloche||3|BRC|-41.13 -71.31||San Carlos de Bariloche
AR|Ushuaia||3|USH|-54.80 -68.30||
UY|Montevideo||3|MVD|-34.90 -56.19||
PY|Asunción||3|ASU|-25.28 -57.63||
CL|Santiago||1|SCL|-33.45 -70.67||Santiago de Chile
CL|Punta Arenas||3|PUQ|-53.16 -70.91||
PE|Lima||1|LIM|-12.05 -77.04||
PE|Cusco||3|CUZ|-13.53 -71.97||Cuzco, Machu Picchu
BO|La Paz||3|LPB|-16.50 -68.15||
BO|Santa Cruz||3|VVI|-17.78 -63.18|SRZ|Santa Cruz de la Sierra
EC|Quito||2|UIO|-0.18 -78.47||
EC|Guayaquil||3|GYE|-2.19 -79.89||
CO|Bogotá||1|BOG|4.71 -74.07||Bogota
CO|Medellín||2|MDE|6.24 -75.58||
CO|Cartagena||3|CTG|10.39 -75.51||Cartagena de Indias
CO|Cali||3|CLO|3.45 -76.53||
VE|Caracas||3|CCS|10.48 -66.90||
GY|Georgetown||3|GEO|6.80 -58.16||
"""
