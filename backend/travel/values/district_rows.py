"""Districts people ask for by name, as rows for `backend.travel.values.districts`, which explains them."""

ROWS = """
London, GB
 Westminster 51.500 -0.130; Soho 51.513 -0.132; Covent Garden 51.512 -0.124; Kensington 51.499 -0.193
 Shoreditch 51.526 -0.078; Camden 51.539 -0.143; Southwark 51.503 -0.090; King's Cross 51.531 -0.123
 Paddington 51.516 -0.177; Greenwich 51.480 -0.005
Paris, FR
 Le Marais 48.859 2.361; Montmartre 48.887 2.341; Saint-Germain-des-Prés 48.854 2.333
 Latin Quarter 48.849 2.347; Opéra 48.871 2.332; Bastille 48.853 2.370; Champs-Élysées 48.870 2.308
 Montparnasse 48.842 2.321; La Défense 48.892 2.238
New York, New York, US
 Midtown 40.755 -73.984; Times Square 40.758 -73.986; Upper West Side 40.787 -73.975
 Upper East Side 40.774 -73.957; SoHo 40.723 -74.000; Greenwich Village 40.734 -74.002; Chelsea 40.747 -74.001
 Lower East Side 40.715 -73.984; Financial District 40.708 -74.009; Williamsburg 40.708 -73.957
 Brooklyn 40.690 -73.985; Long Island City 40.745 -73.949
Tokyo, JP
 Shinjuku 35.691 139.703; Shibuya 35.659 139.701; Ginza 35.671 139.765; Asakusa 35.715 139.797
 Ueno 35.711 139.777; Akihabara 35.699 139.773; Roppongi 35.663 139.732; Marunouchi 35.681 139.765
 Ikebukuro 35.730 139.711; Odaiba 35.627 139.777
Rome, IT
 Trastevere 41.889 12.469; Centro Storico 41.899 12.475; Monti 41.895 12.493; Prati 41.908 12.465
 Testaccio 41.877 12.476; Termini 41.901 12.501; Trevi 41.901 12.483; San Lorenzo 41.898 12.517
Milan, IT
 Duomo 45.464 9.190; Brera 45.472 9.188; Navigli 45.450 9.174; Porta Nuova 45.482 9.190
 Porta Romana 45.452 9.203; Centrale 45.486 9.204; Isola 45.487 9.189; San Siro 45.478 9.124
Venice, IT
 San Marco 45.434 12.338; Cannaregio 45.444 12.329; Dorsoduro 45.431 12.326; Castello 45.435 12.349
 San Polo 45.437 12.331; Giudecca 45.426 12.328; Lido 45.406 12.362; Mestre 45.490 12.242
Florence, IT
 Duomo 43.773 11.256; Santa Croce 43.769 11.262; Oltrarno 43.766 11.247; San Lorenzo 43.776 11.253
 Santa Maria Novella 43.775 11.248; San Marco 43.778 11.259; San Frediano 43.769 11.241
Barcelona, ES
 Gothic Quarter 41.383 2.176; Eixample 41.392 2.164; Gràcia 41.403 2.156; El Born 41.385 2.182
 Barceloneta 41.380 2.189; El Raval 41.380 2.168; Poblenou 41.401 2.202; Montjuïc 41.370 2.155
 Sants 41.379 2.140
Madrid, ES
 Centro 40.416 -3.704; Malasaña 40.426 -3.704; Chueca 40.423 -3.697; Salamanca 40.430 -3.678
 La Latina 40.411 -3.711; Lavapiés 40.408 -3.701; Retiro 40.411 -3.677; Chamberí 40.434 -3.704
Lisbon, PT
 Alfama 38.712 -9.130; Baixa 38.711 -9.138; Chiado 38.711 -9.142; Bairro Alto 38.713 -9.145
 Belém 38.697 -9.206; Príncipe Real 38.717 -9.149; Parque das Nações 38.768 -9.096; Alcântara 38.705 -9.177
Porto, PT
 Ribeira 41.141 -8.613; Baixa 41.149 -8.611; Cedofeita 41.153 -8.621; Boavista 41.158 -8.630
 Foz do Douro 41.151 -8.674; Vila Nova de Gaia 41.137 -8.611
Berlin, DE
 Mitte 52.521 13.402; Kreuzberg 52.499 13.403; Prenzlauer Berg 52.539 13.424; Friedrichshain 52.516 13.454
 Charlottenburg 52.506 13.304; Neukölln 52.481 13.435; Schöneberg 52.484 13.353; Potsdamer Platz 52.509 13.376
Munich, DE
 Altstadt 48.137 11.576; Maxvorstadt 48.149 11.567; Schwabing 48.163 11.586; Glockenbach 48.130 11.573
 Haidhausen 48.131 11.599; Sendling 48.117 11.546; Hauptbahnhof 48.140 11.558; Bogenhausen 48.150 11.617
Hamburg, DE
 St. Pauli 53.551 9.965; HafenCity 53.541 10.000; Speicherstadt 53.544 9.989; Altona 53.550 9.935
 St. Georg 53.557 10.012; Sternschanze 53.563 9.963; Neustadt 53.551 9.984; Eppendorf 53.590 9.985
Vienna, AT
 Innere Stadt 48.209 16.372; Leopoldstadt 48.217 16.397; Neubau 48.203 16.348; Mariahilf 48.196 16.350
 Wieden 48.193 16.369; Josefstadt 48.211 16.347; Landstrasse 48.199 16.391; Schönbrunn 48.187 16.312
Zurich, CH
 Altstadt 47.371 8.543; Niederdorf 47.373 8.544; Zurich West 47.389 8.518; Enge 47.363 8.531
 Seefeld 47.357 8.553; Oerlikon 47.411 8.544; Wiedikon 47.370 8.518
Amsterdam, NL
 Jordaan 52.374 4.882; De Pijp 52.355 4.893; Centrum 52.373 4.893; Oud-West 52.366 4.871
 Museumplein 52.358 4.881; Amsterdam Noord 52.391 4.918; Oost 52.361 4.927; Zuidas 52.338 4.873
Brussels, BE
 Grand-Place 50.847 4.352; Sablon 50.840 4.356; Ixelles 50.833 4.366; Saint-Gilles 50.827 4.346
 European Quarter 50.842 4.381; Sainte-Catherine 50.851 4.347; Midi 50.836 4.336
Prague, CZ
 Old Town 50.087 14.421; Malá Strana 50.087 14.404; New Town 50.079 14.424; Vinohrady 50.075 14.444
 Žižkov 50.085 14.453; Hradčany 50.090 14.396; Karlín 50.093 14.449; Smíchov 50.072 14.403
Budapest, HU
 Castle District 47.502 19.034; Jewish Quarter 47.499 19.063; Belváros 47.494 19.055; Lipótváros 47.504 19.050
 Erzsébetváros 47.501 19.071; Terézváros 47.507 19.063; Gellért 47.486 19.046; Óbuda 47.541 19.045
Warsaw, PL
 Old Town 52.250 21.012; Śródmieście 52.230 21.011; Praga 52.254 21.035; Powiśle 52.240 21.030
 Wola 52.236 20.982; Mokotów 52.194 21.027; Żoliborz 52.269 20.982
Kraków, PL
 Old Town 50.062 19.937; Kazimierz 50.051 19.946; Podgórze 50.044 19.953; Kleparz 50.068 19.942
 Wawel 50.054 19.935; Nowa Huta 50.072 20.037
Istanbul, TR
 Sultanahmet 41.006 28.977; Beyoğlu 41.033 28.978; Galata 41.026 28.974; Karaköy 41.023 28.976
 Kadıköy 40.990 29.028; Beşiktaş 41.043 29.007; Taksim 41.037 28.985; Şişli 41.060 28.987
 Üsküdar 41.026 29.015
Athens, GR
 Plaka 37.972 23.730; Monastiraki 37.976 23.726; Kolonaki 37.979 23.743; Koukaki 37.965 23.724
 Syntagma 37.976 23.735; Psyrri 37.979 23.724; Exarchia 37.986 23.734; Piraeus 37.943 23.647
Dublin, IE
 Temple Bar 53.345 -6.264; St Stephen's Green 53.338 -6.260; Smithfield 53.349 -6.278
 Docklands 53.346 -6.240; Ballsbridge 53.329 -6.229; O'Connell Street 53.350 -6.260; Liberties 53.342 -6.278
Edinburgh, GB
 Old Town 55.949 -3.190; New Town 55.955 -3.198; Leith 55.976 -3.171; Haymarket 55.946 -3.218
 Stockbridge 55.959 -3.209; Bruntsfield 55.937 -3.204; Grassmarket 55.947 -3.195
Copenhagen, DK
 Indre By 55.681 12.578; Nyhavn 55.680 12.590; Vesterbro 55.669 12.549; Nørrebro 55.694 12.549
 Christianshavn 55.673 12.593; Frederiksberg 55.679 12.530; Østerbro 55.705 12.577
 Islands Brygge 55.665 12.577
Stockholm, SE
 Gamla Stan 59.325 18.071; Norrmalm 59.335 18.063; Södermalm 59.314 18.073; Östermalm 59.338 18.085
 Vasastan 59.345 18.050; Djurgården 59.326 18.115; Kungsholmen 59.332 18.030
Moscow, RU
 Kitay-Gorod 55.755 37.632; Arbat 55.750 37.591; Tverskoy 55.768 37.606; Zamoskvorechye 55.735 37.627
 Presnensky 55.760 37.562; Chistye Prudy 55.765 37.639; Sokolniki 55.789 37.679
Los Angeles, California, US
 Downtown 34.045 -118.252; Hollywood 34.098 -118.327; Santa Monica 34.019 -118.491
 Venice Beach 33.985 -118.469
 Beverly Hills 34.074 -118.400; West Hollywood 34.090 -118.377; Silver Lake 34.087 -118.270
 Koreatown 34.062 -118.301; Pasadena 34.148 -118.145
San Francisco, California, US
 Union Square 37.788 -122.407; Fisherman's Wharf 37.808 -122.416; SoMa 37.778 -122.405
 Mission 37.760 -122.415
 Nob Hill 37.793 -122.415; North Beach 37.801 -122.410; Haight-Ashbury 37.770 -122.447; Marina 37.803 -122.437
 Castro 37.761 -122.435
Chicago, Illinois, US
 The Loop 41.881 -87.629; River North 41.892 -87.634; Gold Coast 41.905 -87.628; Lincoln Park 41.922 -87.648
 Wicker Park 41.909 -87.677; West Loop 41.882 -87.648; South Loop 41.867 -87.625; Hyde Park 41.794 -87.591
Miami, Florida, US
 South Beach 25.783 -80.134; Miami Beach 25.813 -80.134; Brickell 25.758 -80.193; Wynwood 25.801 -80.199
 Downtown 25.774 -80.191; Coconut Grove 25.728 -80.244; Little Havana 25.766 -80.220
 Coral Gables 25.750 -80.259
Las Vegas, Nevada, US
 The Strip 36.115 -115.173; Downtown 36.170 -115.142; Fremont Street 36.171 -115.144
 Summerlin 36.167 -115.330
 Henderson 36.040 -114.982; Convention Center 36.132 -115.152; Chinatown 36.127 -115.197
Boston, Massachusetts, US
 Back Bay 42.350 -71.081; Beacon Hill 42.358 -71.068; North End 42.365 -71.054; Seaport 42.351 -71.045
 South End 42.342 -71.075; Cambridge 42.374 -71.116; Fenway 42.345 -71.098; Downtown 42.356 -71.060
Washington, District of Columbia, US
 Georgetown 38.908 -77.064; Dupont Circle 38.910 -77.043; Capitol Hill 38.889 -76.999
 Foggy Bottom 38.900 -77.050
 Penn Quarter 38.897 -77.022; Adams Morgan 38.921 -77.042; Navy Yard 38.876 -77.003; U Street 38.917 -77.029
Seattle, Washington, US
 Downtown 47.608 -122.335; Capitol Hill 47.623 -122.319; Belltown 47.615 -122.345
 Pioneer Square 47.602 -122.332
 Fremont 47.652 -122.350; Ballard 47.668 -122.384; South Lake Union 47.626 -122.337
 Queen Anne 47.637 -122.357
New Orleans, Louisiana, US
 French Quarter 29.958 -90.065; Garden District 29.928 -90.085; Marigny 29.964 -90.055
 Warehouse District 29.944 -90.069
 Uptown 29.931 -90.109; Treme 29.967 -90.074; Central Business District 29.950 -90.073
Honolulu, Hawaii, US
 Waikiki 21.277 -157.828; Downtown 21.308 -157.861; Ala Moana 21.291 -157.844; Kakaako 21.297 -157.858
 Diamond Head 21.264 -157.806; Kahala 21.273 -157.776
Toronto, Ontario, CA
 Downtown 43.649 -79.382; Entertainment District 43.646 -79.391; Yorkville 43.671 -79.392
 Queen West 43.647 -79.410; Distillery District 43.650 -79.360; Kensington Market 43.655 -79.401
 Harbourfront 43.639 -79.382; Leslieville 43.663 -79.335
Vancouver, British Columbia, CA
 Downtown 49.283 -123.120; Gastown 49.284 -123.109; Yaletown 49.275 -123.121; West End 49.286 -123.134
 Kitsilano 49.268 -123.165; Coal Harbour 49.290 -123.122; Granville Island 49.271 -123.134
 Mount Pleasant 49.262 -123.101
Montreal, Quebec, CA
 Old Montreal 45.506 -73.554; Plateau 45.521 -73.580; Downtown 45.501 -73.571; Mile End 45.525 -73.598
 Griffintown 45.490 -73.561; Le Village 45.517 -73.556; Little Italy 45.535 -73.614
Mexico City, Mexico City, MX
 Roma Norte 19.418 -99.163; Condesa 19.411 -99.174; Polanco 19.433 -99.195; Centro Histórico 19.433 -99.135
 Coyoacán 19.350 -99.162; Zona Rosa 19.426 -99.164; Juárez 19.427 -99.157; Santa Fe 19.360 -99.260
Cancún, Quintana Roo, MX
 Zona Hotelera 21.110 -86.763; Centro 21.161 -86.828; Puerto Juárez 21.186 -86.805
 Playa Mujeres 21.246 -86.803
Rio de Janeiro, BR
 Copacabana -22.971 -43.182; Ipanema -22.984 -43.198; Leblon -22.984 -43.223; Santa Teresa -22.919 -43.187
 Lapa -22.913 -43.180; Botafogo -22.951 -43.184; Centro -22.904 -43.178; Barra da Tijuca -23.000 -43.365
São Paulo, BR
 Jardins -23.567 -46.666; Vila Madalena -23.554 -46.691; Avenida Paulista -23.561 -46.656
 Pinheiros -23.567 -46.693
 Itaim Bibi -23.585 -46.677; Centro -23.546 -46.635; Moema -23.603 -46.664; Liberdade -23.558 -46.635
Buenos Aires, AR
 Palermo -34.581 -58.424; Recoleta -34.588 -58.393; San Telmo -34.621 -58.372; Puerto Madero -34.611 -58.362
 Microcentro -34.604 -58.376; Retiro -34.592 -58.375; Belgrano -34.562 -58.456; La Boca -34.635 -58.364
Lima, PE
 Miraflores -12.121 -77.030; Barranco -12.149 -77.021; San Isidro -12.098 -77.037
 Centro Histórico -12.046 -77.031
 Surco -12.137 -76.993; Pueblo Libre -12.075 -77.062
Dubai, AE
 Downtown 25.197 55.274; Dubai Marina 25.080 55.140; Palm Jumeirah 25.113 55.139; Deira 25.271 55.327
 Bur Dubai 25.255 55.299; Jumeirah 25.204 55.239; Business Bay 25.185 55.273; Al Barsha 25.113 55.196
Singapore, SG
 Marina Bay 1.282 103.858; Orchard 1.304 103.832; Chinatown 1.284 103.844; Little India 1.307 103.850
 Bugis 1.300 103.856; Clarke Quay 1.290 103.846; Sentosa 1.249 103.830; Kampong Glam 1.302 103.859
 Tiong Bahru 1.286 103.827
Hong Kong, HK
 Central 22.282 114.158; Tsim Sha Tsui 22.297 114.172; Causeway Bay 22.280 114.184; Mong Kok 22.319 114.169
 Wan Chai 22.278 114.173; Sheung Wan 22.286 114.150; North Point 22.291 114.200; Lantau 22.290 113.941
Bangkok, TH
 Sukhumvit 13.737 100.560; Silom 13.728 100.533; Siam 13.746 100.534; Khao San 13.759 100.497
 Riverside 13.723 100.514; Sathorn 13.720 100.529; Chinatown 13.741 100.508; Ari 13.780 100.545
 Thonglor 13.730 100.582
Bali, ID
 Seminyak -8.691 115.168; Ubud -8.507 115.263; Canggu -8.648 115.138; Kuta -8.723 115.172
 Sanur -8.693 115.262; Nusa Dua -8.803 115.230; Jimbaran -8.784 115.164; Uluwatu -8.829 115.088
 Legian -8.705 115.169
Kyoto, JP
 Gion 35.004 135.775; Higashiyama 34.998 135.780; Arashiyama 35.010 135.678; Kawaramachi 35.004 135.769
 Kyoto Station 34.986 135.759; Nishijin 35.030 135.748; Fushimi 34.936 135.762; Kitayama 35.051 135.766
Osaka, JP
 Namba 34.666 135.501; Dotonbori 34.669 135.502; Umeda 34.703 135.498; Shinsaibashi 34.675 135.501
 Tennoji 34.646 135.514; Shinsekai 34.652 135.506; Shin-Osaka 34.733 135.500; Honmachi 34.682 135.500
Seoul, KR
 Myeongdong 37.563 126.985; Hongdae 37.556 126.924; Gangnam 37.498 127.028; Itaewon 37.534 126.994
 Insadong 37.574 126.986; Jongno 37.570 126.992; Dongdaemun 37.571 127.009; Yeouido 37.522 126.924
 Bukchon 37.582 126.985
Beijing, CN
 Dongcheng 39.929 116.416; Wangfujing 39.914 116.411; Sanlitun 39.934 116.455; Chaoyang 39.921 116.462
 Qianmen 39.898 116.398; Houhai 39.941 116.386; Xidan 39.908 116.374; Haidian 39.960 116.298
Shanghai, CN
 The Bund 31.240 121.490; French Concession 31.213 121.451; Jing'an 31.228 121.448; Pudong 31.236 121.506
 Xintiandi 31.219 121.475; Nanjing Road 31.235 121.475; Xuhui 31.195 121.437; Hongqiao 31.199 121.399
Taipei, TW
 Ximending 25.042 121.507; Xinyi 25.033 121.567; Da'an 25.027 121.543; Zhongshan 25.053 121.523
 Songshan 25.050 121.577; Datong 25.063 121.513; Beitou 25.132 121.499
Ho Chi Minh City, VN
 District 1 10.776 106.701; Ben Thanh 10.772 106.698; District 3 10.784 106.687; Thao Dien 10.803 106.739
 Cholon 10.753 106.663; Phu My Hung 10.729 106.709; Pham Ngu Lao 10.768 106.693
Hanoi, VN
 Old Quarter 21.034 105.851; French Quarter 21.021 105.854; Hoan Kiem 21.029 105.852; Ba Dinh 21.036 105.828
 Tay Ho 21.065 105.824; Dong Da 21.014 105.827
Delhi, IN
 Connaught Place 28.632 77.220; Old Delhi 28.656 77.231; Hauz Khas 28.549 77.200; Paharganj 28.644 77.213
 Karol Bagh 28.652 77.190; Aerocity 28.549 77.121; South Extension 28.568 77.220; Chanakyapuri 28.596 77.188
Mumbai, IN
 Colaba 18.915 72.826; Bandra 19.060 72.836; Fort 18.934 72.836; Juhu 19.107 72.827
 Andheri 19.120 72.847; Marine Drive 18.944 72.823; Lower Parel 18.998 72.830; Powai 19.118 72.906
Sydney, New South Wales, AU
 Central Business District -33.869 151.208; The Rocks -33.859 151.209; Darling Harbour -33.873 151.200
 Surry Hills -33.884 151.212; Bondi -33.891 151.274; Manly -33.797 151.287; Newtown -33.898 151.178
 Kings Cross -33.875 151.222; Circular Quay -33.861 151.211
Melbourne, Victoria, AU
 Central Business District -37.814 144.963; Southbank -37.823 144.964; Fitzroy -37.798 144.978
 St Kilda -37.868 144.981; South Yarra -37.838 144.993; Carlton -37.800 144.967; Docklands -37.815 144.946
 Richmond -37.823 144.998
Cape Town, ZA
 City Bowl -33.925 18.424; V&A Waterfront -33.903 18.420; Camps Bay -33.951 18.378; Sea Point -33.917 18.387
 Gardens -33.935 18.412; Woodstock -33.927 18.446; Green Point -33.908 18.406; Constantia -34.030 18.429
Marrakesh, MA
 Medina 31.629 -7.985; Gueliz 31.634 -8.010; Kasbah 31.619 -7.990; Hivernage 31.624 -8.008
 Palmeraie 31.670 -7.960; Mellah 31.621 -7.981; Agdal 31.602 -7.988
Cairo, EG
 Downtown 30.047 31.238; Zamalek 30.061 31.219; Giza 29.987 31.134; Garden City 30.037 31.231
 Islamic Cairo 30.046 31.262; Heliopolis 30.090 31.325; Maadi 29.960 31.257; New Cairo 30.027 31.470
Tel Aviv, IL
 Rothschild 32.065 34.776; Jaffa 32.052 34.752; Neve Tzedek 32.061 34.765; Florentin 32.057 34.770
 Old North 32.087 34.776; Beachfront 32.080 34.767; Carmel Market 32.069 34.769
"""  # noqa: RUF001
