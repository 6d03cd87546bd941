"""Cities of Africa and the Middle East, as rows for `cities.py`, which explains the columns."""

ROWS = """
AE|Dubai||1|DXB DWC|25.20 55.27|DXB|
AE|Abu Dhabi||1|AUH|24.45 54.38||
AE|Sharjah||3|SHJ|25.36 55.40||
QA|Doha||1|DOH|25.29 51.53||Qatar
SA|Riyadh||2|RUH|24.71 46.68||
SA|Jeddah||2|JED|21.54 39.17||Mecca, Makkah
SA|Dammam||3|DMM|26.43 50.10||
SA|Medina||3|MED|24.47 39.61||Madinah
KW|Kuwait City||2|KWI|29.38 47.99||Kuwait
BH|Manama||2|BAH|26.23 50.59||Bahrain
OM|Muscat||2|MCT|23.59 58.41||Oman
OM|Salalah||3|SLL|17.02 54.09||
IL|Tel Aviv||1|TLV|32.09 34.78||Tel-Aviv, Jaffa
IL|Jerusalem||3||31.78 35.22||
IL|Eilat||3|ETM|29.56 34.95||
JO|Amman||2|AMM|31.95 35.93||
JO|Aqaba||3|AQJ|29.53 35.01||Petra
LB|Beirut||2|BEY|33.89 35.50||
IQ|Baghdad||3|BGW|33.31 44.37||
IQ|Erbil||3|EBL|36.19 44.01||
IR|Tehran||2|IKA|35.69 51.39|THR|Teheran
EG|Cairo||1|CAI|30.04 31.24||
EG|Hurghada||3|HRG|27.26 33.81||
EG|Sharm El Sheikh||3|SSH|27.91 34.33||Sharm, Sharm el-Sheikh
EG|Luxor||3|LXR|25.69 32.64||
EG|Alexandria||3|HBE|31.20 29.92||
MA|Casablanca||2|CMN|33.57 -7.59||
MA|Marrakesh||2|RAK|31.63 -7.99||Marrakech
MA|Agadir||3|AGA|30.43 -9.60||
MA|Fez||3|FEZ|34.04 -5.00||Fès, Fes
MA|Tangier||3|TNG|35.77 -5.80||Tanger
TN|Tunis||2|TUN|36.81 10.18||
TN|Djerba||3|DJE|33.88 10.86||
DZ|Algiers||2|ALG|36.75 3.06||Alger
LY|Tripoli||3|MJI|32.89 13.19|TIP|
SN|Dakar||2|DSS|14.72 -17.47|DKR|
CV|Sal||3|SID|16.60 -22.91||Cape Verde
GH|Accra||2|ACC|5.60 -0.19||
NG|Lagos||2|LOS|6.52 3.38||
NG|Abuja||3|ABV|9.06 7.50||
CI|Abidjan||3|ABJ|5.36 -4.01||
CM|Douala||3|DLA|4.05 9.70||
CD|Kinshasa||3|FIH|-4.44 15.27||
AO|Luanda||3|LAD|-8.84 13.23||
ET|Addis Ababa||1|ADD|9.03 38.74||
KE|Nairobi||1|NBO|-1.29 36.82||
KE|Mombasa||3|MBA|-4.04 39.67||
TZ|Dar es Salaam||3|DAR|-6.79 39.21||
TZ|Zanzibar||3|ZNZ|-6.16 39.19||
TZ|Arusha||3|JRO|-3.37 36.68||Kilimanjaro, Serengeti
UG|Entebbe||3|EBB|0.32 32.58||Kampala
RW|Kigali||3|KGL|-1.94 30.06||
ZM|Lusaka||3|LUN|-15.39 28.32||
ZW|Victoria Falls||3|VFA|-17.93 25.83||Vic Falls
ZW|Harare||3|HRE|-17.83 31.05||
MZ|Maputo||3|MPM|-25.97 32.57||
NA|Windhoek||3|WDH|-22.56 17.08||
BW|Gaborone||3|GBE|-24.65 25.91||
ZA|Johannesburg||1|JNB HLA|-26.20 28.05|JNB|Joburg, Jo'burg
ZA|Cape Town||2|CPT|-33.92 18.42||Kaapstad
ZA|Durban||3|DUR|-29.86 31.02||
ZA|Port Elizabeth||3|PLZ|-33.96 25.60||Gqeberha
ZA|Kruger||3|MQP|-25.47 30.97||Nelspruit, Mbombela, Kruger National Park
MU|Mauritius||3|MRU|-20.16 57.50||Port Louis
RE|Réunion||3|RUN|-20.88 55.45||Saint-Denis
SC|Seychelles||3|SEZ|-4.62 55.45||Mahé, Mahe
MG|Antananarivo||3|TNR|-18.88 47.51||Madagascar
"""
