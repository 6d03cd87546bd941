"""Cities of Asia east of the Gulf, Australia and the Pacific, as rows for `backend.travel.values.cities`,
which explains the columns."""

ROWS = """
JP|Tokyo||1|HND NRT|35.68 139.76|TYO|Tokio
JP|Osaka||1|KIX ITM|34.69 135.50|OSA|
JP|Kyoto||3|KIX ITM|35.01 135.77||Kioto
JP|Nagoya||2|NGO|35.18 136.91|NGO|
JP|Sapporo||2|CTS|43.06 141.35|SPK|Hokkaido, Niseko
JP|Fukuoka||2|FUK|33.59 130.40||
JP|Okinawa||3|OKA|26.21 127.68||Naha
JP|Hiroshima||3|HIJ|34.39 132.46||
JP|Sendai||3|SDJ|38.27 140.87||
JP|Kagoshima||3|KOJ|31.60 130.56||
JP|Hakone||3||35.23 139.11||
JP|Nara||3||34.69 135.80||
KR|Seoul||1|ICN GMP|37.57 126.98|SEL|
KR|Busan||2|PUS|35.18 129.08||Pusan
KR|Jeju||2|CJU|33.50 126.53||Cheju
CN|Beijing||1|PEK PKX|39.90 116.41|BJS|Peking
CN|Shanghai||1|PVG SHA|31.23 121.47|SHA|
CN|Guangzhou||1|CAN|23.13 113.26||Canton
CN|Shenzhen||2|SZX|22.54 114.06||
CN|Chengdu||2|TFU CTU|30.57 104.07|CTU|
CN|Chongqing||2|CKG|29.56 106.55||Chungking
CN|Xi'an||2|XIY|34.34 108.94||Xian
CN|Hangzhou||2|HGH|30.27 120.16||
CN|Kunming||2|KMG|25.04 102.71||
CN|Wuhan||3|WUH|30.59 114.31||
CN|Nanjing||3|NKG|32.06 118.80||Nanking
CN|Xiamen||3|XMN|24.48 118.09||Amoy
CN|Qingdao||3|TAO|36.07 120.38||Tsingtao
CN|Guilin||3|KWL|25.27 110.29||
CN|Sanya||3|SYX|18.25 109.51||Hainan
CN|Ürümqi||3|URC|43.83 87.62||Urumqi
CN|Harbin||3|HRB|45.80 126.53||
HK|Hong Kong||1|HKG|22.30 114.17||HK, Hongkong
MO|Macau||3|MFM|22.20 113.54||Macao
TW|Taipei||1|TPE TSA|25.03 121.57|TPE|
TW|Kaohsiung||3|KHH|22.63 120.30||
MN|Ulaanbaatar||3|UBN|47.92 106.92|ULN|Ulan Bator
SG|Singapore||1|SIN|1.29 103.85||
MY|Kuala Lumpur||1|KUL|3.14 101.69||KL
MY|Penang||3|PEN|5.41 100.33||George Town
MY|Langkawi||3|LGK|6.32 99.85||
MY|Kota Kinabalu||3|BKI|5.98 116.07||Borneo
BN|Brunei||3|BWN|4.90 114.94||Bandar Seri Begawan
ID|Jakarta||1|CGK HLP|-6.21 106.85|JKT|
ID|Bali||2|DPS|-8.65 115.22||Denpasar
ID|Surabaya||3|SUB|-7.26 112.75||
ID|Yogyakarta||3|YIA JOG|-7.80 110.37|JOG|Jogja, Jogjakarta
ID|Lombok||3|LOP|-8.58 116.12||Gili Islands
ID|Medan||3|KNO|3.59 98.67|MES|
TH|Bangkok||1|BKK DMK|13.76 100.50|BKK|Krung Thep
TH|Phuket||2|HKT|7.88 98.39||
TH|Chiang Mai||3|CNX|18.79 98.99||Chiangmai
TH|Koh Samui||3|USM|9.53 100.06||Ko Samui, Samui
TH|Krabi||3|KBV|8.09 98.91||
VN|Ho Chi Minh City||1|SGN|10.78 106.70||Saigon, Ho Chi Minh, HCMC
VN|Hanoi||2|HAN|21.03 105.85||Ha Noi
VN|Da Nang||3|DAD|16.05 108.20||Danang, Hoi An
VN|Phu Quoc||3|PQC|10.22 103.96||Phú Quốc
KH|Phnom Penh||3|KTI|11.56 104.92||
KH|Siem Reap||3|SAI|13.36 103.86||Angkor, Angkor Wat
LA|Vientiane||3|VTE|17.97 102.63||
LA|Luang Prabang||3|LPQ|19.89 102.14||
MM|Yangon||3|RGN|16.87 96.20||Rangoon
PH|Manila||1|MNL|14.60 120.98||
PH|Cebu||2|CEB|10.32 123.89||Cebu City
PH|Boracay||3|MPH|11.97 121.92||Caticlan
PH|Davao||3|DVO|7.19 125.46||
IN|Delhi||1|DEL|28.61 77.21||New Delhi
IN|Mumbai||1|BOM|19.02 72.85||Bombay
IN|Bengaluru||1|BLR|12.97 77.59||Bangalore
IN|Chennai||2|MAA|13.08 80.27||Madras
IN|Hyderabad||2|HYD|17.39 78.49||
IN|Kolkata||2|CCU|22.57 88.36||Calcutta
IN|Goa||3|GOI GOX|15.49 73.83|GOI|Panaji
IN|Kochi||3|COK|9.97 76.28||Cochin, Kerala
IN|Ahmedabad||3|AMD|23.02 72.57||
IN|Pune||3|PNQ|18.52 73.86||Poona
IN|Jaipur||3|JAI|26.91 75.79||
IN|Agra||3||27.18 78.01||Taj Mahal
IN|Varanasi||3|VNS|25.32 82.97||Benares
IN|Amritsar||3|ATQ|31.63 74.87||
LK|Colombo||2|CMB|6.93 79.86||Sri Lanka
MV|Malé||2|MLE|4.18 73.51||Male, Maldives
NP|Kathmandu||3|KTM|27.72 85.32||Katmandu
BD|Dhaka||2|DAC|23.81 90.41||Dacca
PK|Karachi||2|KHI|24.86 67.01||
PK|Lahore||3|LHE|31.55 74.34||
PK|Islamabad||3|ISB|33.68 73.05||Rawalpindi
KZ|Almaty||2|ALA|43.24 76.89||Alma-Ata
KZ|Astana||3|NQZ|51.17 71.43||Nur-Sultan
UZ|Tashkent||2|TAS|41.30 69.24||
UZ|Samarkand||3|SKD|39.65 66.96||
KG|Bishkek||3|BSZ|42.87 74.59||
AU|Sydney|New South Wales|1|SYD|-33.87 151.21||
AU|Melbourne|Victoria|1|MEL AVV|-37.81 144.96|MEL|
AU|Brisbane|Queensland|2|BNE|-27.47 153.03||Brissie
AU|Perth|Western Australia|2|PER|-31.95 115.86||
AU|Adelaide|South Australia|2|ADL|-34.93 138.60||
AU|Gold Coast|Queensland|3|OOL|-28.02 153.40||Surfers Paradise
AU|Cairns|Queensland|3|CNS|-16.92 145.77||Great Barrier Reef
AU|Canberra|Australian Capital Territory|3|CBR|-35.28 149.13||
AU|Hobart|Tasmania|3|HBA|-42.88 147.33||
AU|Darwin|Northern Territory|3|DRW|-12.46 130.84||
AU|Newcastle|New South Wales|3|NTL|-32.93 151.78||
AU|Alice Springs|Northern Territory|3|ASP|-23.70 133.88||
NZ|Auckland||1|AKL|-36.85 174.76||
NZ|Wellington||3|WLG|-41.29 174.78||
NZ|Christchurch||2|CHC|-43.53 172.64||
NZ|Queenstown||3|ZQN|-45.03 168.66||
FJ|Nadi||3|NAN|-17.80 177.42||Fiji
PF|Tahiti||3|PPT|-17.54 -149.57||Papeete, Bora Bora
NC|Nouméa||3|NOU|-22.27 166.44||New Caledonia
PG|Port Moresby||3|POM|-9.44 147.18||
WS|Apia||3|APW|-13.83 -171.76||Samoa
GU|Guam||3|GUM|13.47 144.75||
"""
