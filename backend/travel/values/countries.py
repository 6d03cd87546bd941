"""Countries by their ISO 3166 alpha-2 code, and what people call them in English.

The first name is the one that is shown. Airport data has codes only; nobody is told that their flight goes
to "LA", which may be Laos or Los Angeles.
"""

_ROWS = """
AE|United Arab Emirates|UAE, Emirates
AF|Afghanistan
AG|Antigua and Barbuda
AL|Albania
AM|Armenia
AO|Angola
AR|Argentina
AT|Austria
AU|Australia
AW|Aruba
AZ|Azerbaijan
BA|Bosnia and Herzegovina|Bosnia, Bosnia-Herzegovina
BB|Barbados
BD|Bangladesh
BE|Belgium
BF|Burkina Faso
BG|Bulgaria
BH|Bahrain
BI|Burundi
BJ|Benin
BM|Bermuda
BN|Brunei
BO|Bolivia
BR|Brazil|Brasil
BS|Bahamas
BT|Bhutan
BW|Botswana
BY|Belarus
BZ|Belize
CA|Canada
CD|DR Congo|Congo
CF|Central African Republic
CG|Congo-Brazzaville
CH|Switzerland
CI|Ivory Coast|Côte d'Ivoire
CL|Chile
CM|Cameroon
CN|China|PRC
CO|Colombia
CR|Costa Rica
CU|Cuba
CV|Cape Verde|Cabo Verde
CW|Curaçao
CY|Cyprus
CZ|Czech Republic|Czechia
DE|Germany|Deutschland
DJ|Djibouti
DK|Denmark
DM|Dominica
DO|Dominican Republic
DZ|Algeria
EC|Ecuador
EE|Estonia
EG|Egypt
ER|Eritrea
ES|Spain|España
ET|Ethiopia
FI|Finland
FJ|Fiji
FR|France
GA|Gabon
GB|United Kingdom|UK, U.K., Great Britain, Britain
GD|Grenada
GE|Georgia
GH|Ghana
GL|Greenland
GM|Gambia
GN|Guinea
GP|Guadeloupe
GQ|Equatorial Guinea
GR|Greece
GT|Guatemala
GU|Guam
GY|Guyana
HK|Hong Kong
HN|Honduras
HR|Croatia
HT|Haiti
HU|Hungary
ID|Indonesia
IE|Ireland
IL|Israel
IN|India
IQ|Iraq
IR|Iran
IS|Iceland
IT|Italy|Italia
JM|Jamaica
JO|Jordan
JP|Japan
KE|Kenya
KG|Kyrgyzstan
KH|Cambodia
KR|South Korea|Korea
KW|Kuwait
KY|Cayman Islands
KZ|Kazakhstan
LA|Laos
LB|Lebanon
LC|Saint Lucia
LK|Sri Lanka
LR|Liberia
LS|Lesotho
LT|Lithuania
LU|Luxembourg
LV|Latvia
LY|Libya
MA|Morocco
MC|Monaco
MD|Moldova
ME|Montenegro
MG|Madagascar
MK|North Macedonia|Macedonia
ML|Mali
MM|Myanmar|Burma
MN|Mongolia
MO|Macau
MQ|Martinique
MR|Mauritania
MT|Malta
MU|Mauritius
MV|Maldives
MW|Malawi
MX|Mexico
MY|Malaysia
MZ|Mozambique
NA|Namibia
NC|New Caledonia
NE|Niger
NG|Nigeria
NI|Nicaragua
NL|Netherlands|Holland
NO|Norway
NP|Nepal
NZ|New Zealand
OM|Oman
PA|Panama
PE|Peru
PF|French Polynesia
PG|Papua New Guinea
PH|Philippines
PK|Pakistan
PL|Poland
PR|Puerto Rico
PT|Portugal
PY|Paraguay
QA|Qatar
RE|Réunion
RO|Romania
RS|Serbia
RU|Russia
RW|Rwanda
SA|Saudi Arabia
SC|Seychelles
SD|Sudan
SE|Sweden
SG|Singapore
SI|Slovenia
SK|Slovakia
SL|Sierra Leone
SN|Senegal
SO|Somalia
SR|Suriname
SV|El Salvador
SX|Sint Maarten
SY|Syria
TG|Togo
TH|Thailand
TN|Tunisia
TR|Turkey|Türkiye
TT|Trinidad and Tobago
TW|Taiwan
TZ|Tanzania
UA|Ukraine
UG|Uganda
US|United States|USA, U.S.A., US, U.S., United States of America, America, the States
UY|Uruguay
UZ|Uzbekistan
VE|Venezuela
VN|Vietnam|Viet Nam
WS|Samoa
XK|Kosovo
YE|Yemen
ZA|South Africa
ZM|Zambia
ZW|Zimbabwe
"""


def _parse(row: str) -> tuple[str, tuple[str, ...]]:
    code, name, *aliases = row.split("|")
    others = (alias.strip() for alias in "".join(aliases).split(",") if alias.strip())
    return code, (name, *others)


COUNTRIES: dict[str, tuple[str, ...]] = dict(_parse(row) for row in _ROWS.split("\n") if row)
"""Code to the names of the country, the one that is shown first."""
