"""Cities of Europe and the Caucasus, as rows for `cities.py`, which explains the columns."""

ROWS = """
GB|London||1|LHR LGW STN LTN LCY|51.51 -0.13|LON|LDN, Greater London, Londres
GB|Manchester||2|MAN|53.48 -2.24||
GB|Edinburgh||2|EDI|55.95 -3.19||
GB|Birmingham||2|BHX|52.48 -1.90||Brum
GB|Glasgow||2|GLA|55.86 -4.25||
GB|Bristol||3|BRS|51.45 -2.59||
GB|Newcastle||3|NCL|54.98 -1.61||Newcastle upon Tyne
GB|Liverpool||3|LPL|53.41 -2.98||
GB|Leeds||3|LBA|53.80 -1.55||Bradford, Leeds Bradford
GB|Nottingham||3|EMA|52.95 -1.15||East Midlands
GB|Belfast||3|BFS BHD|54.60 -5.93|BFS|
GB|Aberdeen||3|ABZ|57.15 -2.09||
GB|Cardiff||3|CWL|51.48 -3.18||
GB|Inverness||3|INV|57.48 -4.22||Loch Ness
GB|Oxford||3||51.75 -1.26||
GB|Cambridge||3||52.21 0.12||
GB|Bath||3||51.38 -2.36||
GB|Canterbury||3||51.28 1.08||
GB|Leicester||3||52.64 -1.13||
GB|Sheffield||3||53.38 -1.47||
IE|Dublin||2|DUB|53.35 -6.26||
IE|Cork||3|ORK|51.90 -8.47||
IE|Shannon||3|SNN|52.70 -8.86||Limerick
IE|Galway||3||53.27 -9.05||
FR|Paris||1|CDG ORY BVA|48.86 2.35|PAR|
FR|Nice||2|NCE|43.70 7.27||Côte d'Azur, French Riviera, Nizza
FR|Lyon||2|LYS|45.76 4.84||Lyons
FR|Marseille||2|MRS|43.30 5.37||Marseilles
FR|Toulouse||2|TLS|43.60 1.44||
FR|Bordeaux||3|BOD|44.84 -0.58||
FR|Nantes||3|NTE|47.22 -1.55||
FR|Strasbourg||3|SXB|48.58 7.75||Straßburg, Strassburg
FR|Lille||3|LIL|50.63 3.06||
FR|Montpellier||3|MPL|43.61 3.88||
FR|Biarritz||3|BIQ|43.48 -1.56||
FR|Ajaccio||3|AJA|41.92 8.74||Corsica
FR|Chamonix||3||45.92 6.87||Chamonix-Mont-Blanc
DE|Frankfurt||1|FRA|50.11 8.68||Frankfurt am Main
DE|Munich||1|MUC|48.14 11.58||München, Muenchen, Munchen
DE|Berlin||2|BER|52.52 13.40||
DE|Hamburg||2|HAM|53.55 9.99||
DE|Düsseldorf||2|DUS|51.23 6.78||Dusseldorf, Duesseldorf
DE|Cologne||2|CGN|50.94 6.96||Köln, Koeln, Koln, Bonn
DE|Stuttgart||2|STR|48.78 9.18||
DE|Hanover||3|HAJ|52.37 9.73||Hannover
DE|Nuremberg||3|NUE|49.45 11.08||Nürnberg, Nuernberg, Nurnberg
DE|Leipzig||3|LEJ|51.34 12.37||
DE|Dresden||3|DRS|51.05 13.74||
DE|Bremen||3|BRE|53.08 8.80||
DE|Dortmund||3|DTM|51.51 7.47||
DE|Heidelberg||3||49.41 8.69||
DE|Freiburg||3||47.99 7.85||Freiburg im Breisgau
DE|Potsdam||3||52.40 13.06||
DE|Regensburg||3||49.02 12.10||Ratisbon
DE|Würzburg||3||49.79 9.93||Wuerzburg
DE|Weimar||3||50.98 11.33||
AT|Vienna||1|VIE|48.21 16.37||Wien
AT|Salzburg||3|SZG|47.80 13.04||
AT|Innsbruck||3|INN|47.26 11.39||
AT|Graz||3|GRZ|47.07 15.44||
AT|Hallstatt||3||47.56 13.65||
CH|Zurich||1|ZRH|47.37 8.54||Zürich, Zuerich
CH|Geneva||2|GVA|46.20 6.15||Genève, Geneve, Genf
CH|Basel||3|BSL|47.56 7.59|EAP|Basle, Bâle
CH|Interlaken||3||46.69 7.86||Jungfrau
CH|Lucerne||3||47.05 8.31||Luzern
CH|Zermatt||3||46.02 7.75||
CH|Montreux||3||46.43 6.91||
NL|Amsterdam||1|AMS|52.37 4.90||
NL|Rotterdam||3|RTM|51.92 4.48||The Hague, Den Haag
NL|Eindhoven||3|EIN|51.44 5.47||
NL|Utrecht||3||52.09 5.12||
NL|Leiden||3||52.16 4.49||
NL|Delft||3||52.01 4.36||
NL|Haarlem||3||52.38 4.64||
BE|Brussels||2|BRU CRL|50.85 4.35|BRU|Bruxelles, Brussel, Brüssel, Bruessel
BE|Bruges||3||51.21 3.22||Brugge
BE|Ghent||3||51.05 3.72||Gent, Gand
BE|Leuven||3||50.88 4.70||Louvain
BE|Mechelen||3||51.03 4.48||Malines
LU|Luxembourg||3|LUX|49.61 6.13||Luxembourg City
ES|Madrid||1|MAD|40.42 -3.70||
ES|Barcelona||1|BCN|41.39 2.17||Barna
ES|Málaga||2|AGP|36.72 -4.42||Costa del Sol, Marbella
ES|Palma de Mallorca||2|PMI|39.57 2.65||Palma, Mallorca, Majorca
ES|Alicante||2|ALC|38.35 -0.48||Alacant, Benidorm, Costa Blanca
ES|Valencia||2|VLC|39.47 -0.38||València
ES|Seville||2|SVQ|37.39 -5.99||Sevilla
ES|Bilbao||3|BIO|43.26 -2.93||
ES|Ibiza||3|IBZ|38.91 1.43||Eivissa
ES|Tenerife||2|TFS TFN|28.47 -16.25|TCI|Santa Cruz de Tenerife
ES|Gran Canaria||2|LPA|28.12 -15.43||Las Palmas
ES|Lanzarote||3|ACE|28.96 -13.55||Arrecife
ES|Fuerteventura||3|FUE|28.50 -13.86||Puerto del Rosario
ES|Menorca||3|MAH|39.89 4.26||Mahón, Minorca
ES|Granada||3|GRX|37.18 -3.60||
ES|Santiago de Compostela||3|SCQ|42.88 -8.54||
ES|San Sebastián||3|EAS|43.32 -1.98||Donostia
ES|Segovia||3||40.95 -4.12||
ES|Cádiz||3||36.53 -6.29||
ES|Sitges||3||41.24 1.81||
PT|Lisbon||1|LIS|38.72 -9.14||Lisboa, Lissabon
PT|Porto||2|OPO|41.15 -8.61||Oporto
PT|Faro||3|FAO|37.02 -7.93||Algarve
PT|Madeira||3|FNC|32.65 -16.91||Funchal
PT|Azores||3|PDL|37.74 -25.67||Ponta Delgada, São Miguel
PT|Sintra||3||38.80 -9.38||
PT|Coimbra||3||40.21 -8.43||
PT|Évora||3||38.57 -7.91||
IT|Rome||1|FCO CIA|41.90 12.50|ROM|Roma
IT|Milan||1|MXP LIN BGY|45.46 9.19|MIL|Milano, Mailand
IT|Venice||2|VCE TSF|45.44 12.33|VCE|Venezia, Venedig
IT|Naples||2|NAP|40.85 14.27||Napoli, Amalfi, Sorrento, Neapel
IT|Florence||2|FLR|43.77 11.26||Firenze, Florenz
IT|Bologna||2|BLQ|44.49 11.34||
IT|Pisa||3|PSA|43.72 10.40||
IT|Turin||3|TRN|45.07 7.69||Torino
IT|Catania||2|CTA|37.50 15.09||
IT|Palermo||3|PMO|38.12 13.36||
IT|Bari||3|BRI|41.12 16.87||Puglia
IT|Cagliari||3|CAG|39.22 9.12||
IT|Verona||3|VRN|45.44 10.99||
IT|Olbia||3|OLB|40.92 9.50||Costa Smeralda
IT|Genoa||3|GOA|44.41 8.93||Genova
IT|Assisi||3||43.07 12.62||
IT|Ferrara||3||44.84 11.62||
IT|Padua||3||45.41 11.88||Padova
IT|Modena||3||44.65 10.93||
IT|Vicenza||3||45.55 11.55||
IT|Positano||3||40.63 14.48||
GR|Athens||1|ATH|37.98 23.73||Athina, Athen
GR|Thessaloniki||2|SKG|40.64 22.94||Salonica
GR|Heraklion||3|HER|35.34 25.13||Iraklion
GR|Chania||3|CHQ|35.51 24.02||
GR|Santorini||3|JTR|36.42 25.43||Thira
GR|Mykonos||3|JMK|37.45 25.33||
GR|Rhodes||3|RHO|36.44 28.22||Rodos
GR|Corfu||3|CFU|39.62 19.92||Kerkyra
CY|Larnaca||2|LCA|34.92 33.63||Nicosia, Limassol
CY|Paphos||3|PFO|34.77 32.42||
MT|Malta||2|MLA|35.90 14.51||Valletta
TR|Istanbul||1|IST SAW|41.01 28.98|IST|Stambul, Constantinople
TR|Ankara||2|ESB|39.93 32.86|ANK|
TR|Antalya||2|AYT|36.90 30.70||Turkish Riviera
TR|Izmir||2|ADB|38.42 27.14||İzmir, Smyrna
TR|Bodrum||3|BJV|37.03 27.43||
TR|Cappadocia||3|NAV|38.64 34.83||Göreme, Goreme, Nevşehir, Nevsehir
DK|Copenhagen||1|CPH|55.68 12.57||København, Kobenhavn, Kopenhagen
DK|Billund||3|BLL|55.73 9.11||Legoland
DK|Aarhus||3|AAR|56.16 10.20||Århus, Arhus
SE|Stockholm||1|ARN BMA|59.33 18.07|STO|
SE|Gothenburg||2|GOT|57.71 11.97||Göteborg, Goteborg
SE|Uppsala||3||59.86 17.64||
NO|Oslo||1|OSL TRF|59.91 10.75|OSL|
NO|Bergen||3|BGO|60.39 5.32||
NO|Trondheim||3|TRD|63.43 10.40||
NO|Stavanger||3|SVG|58.97 5.73||
NO|Tromsø||3|TOS|69.65 18.96||Tromso, Tromsoe
FI|Helsinki||1|HEL|60.17 24.94||Helsingfors
FI|Rovaniemi||3|RVN|66.50 25.73||Lapland
IS|Reykjavik||2|KEF|64.15 -21.94|REK|Reykjavík, Iceland
PL|Warsaw||1|WAW WMI|52.23 21.01|WAW|Warszawa, Warschau
PL|Kraków||2|KRK|50.06 19.94||Krakow, Cracow, Krakau
PL|Gdańsk||3|GDN|54.35 18.65||Gdansk, Danzig
PL|Wrocław||3|WRO|51.11 17.03||Wroclaw, Breslau
PL|Poznań||3|POZ|52.41 16.93||Poznan
PL|Katowice||3|KTW|50.26 19.02||
CZ|Prague||2|PRG|50.08 14.44||Praha, Prag
CZ|Brno||3|BRQ|49.20 16.61||
SK|Bratislava||3|BTS|48.15 17.11||
HU|Budapest||2|BUD|47.50 19.04||
RO|Bucharest||2|OTP|44.43 26.10|BUH|București, Bucuresti
RO|Cluj-Napoca||3|CLJ|46.77 23.59||Cluj
BG|Sofia||2|SOF|42.70 23.32||
BG|Varna||3|VAR|43.21 27.91||
RS|Belgrade||2|BEG|44.79 20.45||Beograd
HR|Zagreb||2|ZAG|45.81 15.98||
HR|Split||3|SPU|43.51 16.44||
HR|Dubrovnik||3|DBV|42.65 18.09||
SI|Ljubljana||3|LJU|46.06 14.51||
BA|Sarajevo||3|SJJ|43.86 18.41||
ME|Podgorica||3|TGD|42.44 19.26||
ME|Tivat||3|TIV|42.43 18.70||Kotor
AL|Tirana||3|TIA|41.33 19.82||
MK|Skopje||3|SKP|42.00 21.43||
XK|Pristina||3|PRN|42.66 21.17||Prishtina
LT|Vilnius||3|VNO|54.69 25.28||
LV|Riga||2|RIX|56.95 24.11||
EE|Tallinn||3|TLL|59.44 24.75||
BY|Minsk||3|MSQ|53.90 27.57||
UA|Kyiv||2|KBP IEV|50.45 30.52|IEV|Kiev
UA|Lviv||3|LWO|49.84 24.03||Lvov
UA|Odesa||3|ODS|46.48 30.73||Odessa
MD|Chișinău||3|RMO|47.01 28.86||Chisinau, Kishinev
RU|Moscow||1|SVO DME VKO|55.76 37.62|MOW|Moskva, Moskau, Moscou
RU|Saint Petersburg||2|LED|59.94 30.31||St Petersburg, St. Petersburg, Petersburg, Leningrad
RU|Sochi||3|AER|43.60 39.73||
RU|Kazan||3|KZN|55.80 49.11||
RU|Yekaterinburg||3|SVX|56.84 60.60||Ekaterinburg
RU|Novosibirsk||3|OVB|55.03 82.92||
RU|Vladivostok||3|VVO|43.12 131.89||
GE|Tbilisi||3|TBS|41.72 44.79||Tiflis
AM|Yerevan||3|EVN|40.18 44.51||Erevan
AZ|Baku||3|GYD|40.41 49.87|BAK|
"""
