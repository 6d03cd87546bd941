"""Languages that are written in Latin letters, one row each. A further one is a further row."""

from .row import Language

LATIN: tuple[Language, ...] = (
    Language(
        tag="es",
        reply="Solo leo inglés, así que no he cambiado nada; si hay una búsqueda en marcha, continúa "
        "hasta que escriba «stop».",
        stops="para, pare, paren, parad, para ya, detente, deténgase, detén, basta, basta ya, ya "
        "basta, cancela, cancelar, cancele, cancélalo, cancela la búsqueda, deja de buscar, deje de "
        "buscar, para de buscar, déjalo, déjelo, olvídalo, olvídelo, no busques más, no busque más, "
        "no sigas, espera, espere, es suficiente, ya no hace falta",
        allows="sí, si, claro, claro que sí, por supuesto, de acuerdo, adelante, sí adelante, "
        "resérvalo, resérvelo",
        denies="no, no gracias, mejor no, claro que no, de ninguna manera, es demasiado caro, "
        "demasiado caro, muy caro",
        courtesy="por favor, gracias, muchas gracias, ya, ahora, ahora mismo, hola",
        words="quiero queremos quisiera busco buscamos necesito necesitamos vuelo vuelos hola "
        "gracias enero febrero abril junio julio agosto septiembre octubre noviembre diciembre "
        "personas noches noche habitacion habitaciones manana hoy barato barata mejor prefiero "
        "tambien desde hasta hacia pero somos ninos adultos dias lunes martes miercoles jueves "
        "viernes sabado cambia cambiar viaje viajar llegada directos baratos ahora espera "
        "olvidalo detente estoy estamos tengo podria puedes puede cuanto cuesta donde cuando despues "
        "antes menos otro otra",
        small="a al cambio con de del dos el en favor ida la las los mas me mi no para por que se "
        "sin su tres un una uno vuelta y ya",
    ),
    Language(
        tag="fr",
        reply="Je ne lis que l'anglais et je n'ai donc rien changé ; une recherche en cours continue "
        "jusqu'à ce que vous écriviez « stop ».",
        stops="arrête, arrêtez, arrête tout, arrêtez tout, arrêter, arrête de chercher, arrêtez de "
        "chercher, stoppe, stoppez, annule, annulez, annuler, annule tout, laisse tomber, laissez "
        "tomber, laisse, ça suffit, c'est bon merci, oublie, oubliez, oublie ça, attends, attendez, "
        "un instant, ne cherche plus, ne cherchez plus, tant pis, c'est assez, assez",
        allows="oui, ouais, d'accord, bien sûr, oui allez-y, allez-y, vas-y, volontiers, oui "
        "volontiers, ok d'accord",
        denies="non, non merci, surtout pas, pas question, plutôt pas, trop cher, c'est trop cher",
        courtesy="s'il vous plaît, s'il te plaît, svp, stp, merci, merci beaucoup, maintenant, bonjour",
        words="je cherche cherchons voudrais voudrions vol vols bonjour bonsoir merci jours nuits "
        "nuit chambre chambres demain aujourdhui personnes adultes janvier fevrier avril juin juillet "
        "aout septembre octobre novembre decembre finalement plutot billet billets moins cher chers "
        "arrete arretez attends attendez nous avec lundi mercredi jeudi vendredi samedi dimanche "
        "revoir voyage enfants combien quand mieux prefere preferons besoin faut changer semaine "
        "semaines arrivee cest suis sommes voulons veux peux pouvez directs",
        small="depart a au aux ce dans de des deux du en est et il jai la le les mardi mon ne non on ou par "
        "pas pour que sans sil sur un une vous y",
    ),
    Language(
        tag="de",
        reply="Ich lese nur Englisch und habe deshalb nichts geändert; eine laufende Suche geht "
        "weiter, bis Sie „stop“ schreiben.",
        stops="stopp, stoppen, stop bitte, halt, halt stopp, anhalten, aufhören, hör auf, hören sie "
        "auf, abbrechen, abbruch, brich ab, brechen sie ab, genug, das reicht, es reicht, reicht, "
        "schluss, lass es, lassen sie es, lass gut sein, lass mal, vergiss es, vergessen sie es, "
        "warte, warten sie, warte mal, nicht weiter suchen, nicht mehr suchen, such "
        "nicht weiter, schon gut, doch nicht, stornieren",
        allows="ja, jawohl, jep, ja gerne, ja gern, gerne, ja klar, klar, natürlich, einverstanden, "
        "ja mach das, ja bitte, ja buchen, ja buche es, in ordnung",
        denies="nein, nein danke, nee, nö, lieber nicht, auf keinen fall, nicht buchen, zu teuer, "
        "das ist zu teuer",
        courtesy="bitte, danke, vielen dank, jetzt, sofort, mal, hallo",
        words="ich wir flug fluge fluege nach fuer personen bitte nicht ohne lieber doch eine einen "
        "einem mochte moechte mochten suche suchen brauche brauchen januar februar marz maerz juni "
        "juli oktober dezember direktfluge direktfluege stattdessen erwachsene zimmer ubernachtung "
        "nachte naechte tage heute zuruck zurueck hinflug ruckflug billiger gunstiger guenstiger "
        "warte abflug montag dienstag mittwoch donnerstag freitag samstag sonntag danke hallo guten "
        "kann konnen konnten wie viel reise fliegen woche wochen anderes besser flugs hotelzimmer "
        "nein aber und statt hatte gerne brauch zwei drei vier weiter",
        small="ab am an anders auf aus bei bis das dem den der die du ein es fur im in ist ja kinder "
        "mit morgen nur oder sie um uns vom von was wo zu zum zur",
    ),
    Language(
        tag="it",
        reply="Leggo solo l'inglese, quindi non ho cambiato nulla; una ricerca in corso continua "
        "finché non scrive «stop».",
        stops="basta, basta così, fermati, fermatevi, si fermi, ferma, ferma tutto, fermo, smetti, "
        "smettila, smetta, annulla, annullare, annulli, annulla tutto, lascia perdere, lasci perdere, "
        "lascia stare, aspetta, aspetti, un attimo, non cercare più, interrompi, "
        "interrompa, dimentica, va bene così, stop grazie",
        allows="sì, si, certo, certamente, d'accordo, va bene, sì va bene, sì prenota, prenota, "
        "procedi, sì procedi",
        denies="no, no grazie, meglio di no, assolutamente no, troppo caro, è troppo caro, troppo costoso",
        courtesy="per favore, per piacere, grazie, grazie mille, adesso, ora, ciao, subito",
        words="voglio vogliamo vorrei vorremmo volo voli cerco cerchiamo albergo alberghi prego "
        "grazie ciao buongiorno gennaio febbraio aprile maggio giugno luglio settembre ottobre "
        "dicembre notti notte persone domani oggi invece meglio anzi andata ritorno bambini adulti "
        "giorni sono siamo senza prenota lunedi martedi mercoledi giovedi venerdi sabato domenica "
        "aspetta basta fermati annulla aereo viaggio biglietto biglietti quanto quando dopo piu meno "
        "altro altra preferisco abbiamo bisogno cambia cambiare cosi diretti",
        small="per a ad al alla camera con da dal dalla del della di dove due e gli i il in la le lo no "
        "non o prima si tre un una uno",
    ),
    Language(
        tag="pt",
        reply="Só leio inglês, por isso não alterei nada; uma pesquisa em curso continua até "
        "escrever «stop».",
        stops="pare, para, parar, pare tudo, pare de procurar, pare de buscar, chega, já chega, "
        "basta, cancela, cancelar, cancele, cancele tudo, deixa, deixa pra lá, deixa para lá, deixe, "
        "esquece, esqueça, espera, espere, não procure mais, não precisa, não precisa mais, "
        "interrompa, um momento",
        allows="sim, claro, claro que sim, com certeza, pode reservar, sim pode, sim reserve, está "
        "bem, tudo bem, pode",
        denies="não, não obrigado, não obrigada, melhor não, de jeito nenhum, muito caro, é muito "
        "caro, caro demais",
        courtesy="por favor, se faz favor, obrigado, obrigada, muito obrigado, agora, já, olá",
        words="quero queremos queria gostaria voo voos procuro procuramos preciso precisamos "
        "obrigado obrigada ola fevereiro abril maio junho julho setembro outubro novembro dezembro "
        "pessoas noites noite quarto quartos amanha hoje barato melhor prefiro nao sim criancas "
        "adultos passagem passagens viagem viajar bilhete bilhetes pare parar espere cancela quanto "
        "quando onde antes depois outro outra somos estou estamos tenho pode voce desde diretos",
        small="a ao as ate com da das de dia dias do dois dos e em favor ida janeiro mais na no nos "
        "o os para por que se sem tres um uma volta",
    ),
    Language(
        tag="nl",
        reply="Ik lees alleen Engels en heb daarom niets veranderd; een lopende zoekopdracht gaat "
        "door tot u 'stop' schrijft.",
        stops="stopt, stop maar, stoppen, stop ermee, hou op, houd op, laat maar, laat maar zitten, "
        "laat zitten, genoeg, zo is het genoeg, het is genoeg, annuleer, annuleren, afbreken, breek "
        "af, vergeet het, vergeet het maar, wacht, wacht even, wacht eens, hoeft niet meer, niet meer "
        "zoeken, niet verder zoeken, laat maar gaan, toch maar niet",
        allows="ja, jawel, ja hoor, ja graag, graag, akkoord, natuurlijk, prima, ja doe maar, doe "
        "maar, is goed",
        denies="nee, nee dank je, nee dank u, nee bedankt, liever niet, zeker niet, te duur, het is "
        "te duur, dat is te duur, doe maar niet",
        courtesy="alstublieft, alsjeblieft, aub, bedankt, dank je, dank u, dank je wel, nu, "
        "even, maar, hallo",
        words="vlucht vluchten naar voor zoek zoeken ik wij graag alstublieft alsjeblieft bedankt "
        "januari februari maart juni juli augustus oktober personen nachten nacht kamer kamers "
        "vandaag goedkoper goedkoop liever toch niet geen het een terug heen kinderen volwassenen "
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag wacht laat annuleer genoeg "
        "vliegen hoeveel waar wanneer beter zonder willen nodig hebben heb zijn dagen weken "
        "rechtstreekse kan kunnen dank",
        small="aan als anders bij dan dat de die drie en er in is maar me mei met moet morgen nee of "
        "om op reis te tot twee u uit van wat we wil zo",
    ),
    Language(
        tag="pl",
        reply="Czytam tylko po angielsku, więc niczego nie zmieniono; trwające wyszukiwanie działa "
        "dalej, dopóki nie napiszesz „stop”.",
        stops="zatrzymaj, zatrzymaj się, zatrzymać, zatrzymaj wyszukiwanie, przestań, przestań "
        "szukać, dość, dosyć, wystarczy, starczy, anuluj, anulować, nieważne, zapomnij, zostaw, "
        "zostaw to, daj spokój, czekaj, zaczekaj, poczekaj, chwileczkę, przerwij, koniec, nie szukaj, "
        "nie szukaj więcej, stop proszę, odwołaj",
        allows="tak proszę, tak poproszę, tak oczywiście, oczywiście, tak tak, tak rezerwuj, zgoda, "
        "tak zgadzam się",
        denies="nie, nie dziękuję, raczej nie, lepiej nie, na pewno nie, za drogo, to za drogo, za drogie",
        courtesy="proszę, dziękuję, dzięki, teraz, już, dzień dobry",
        words="loty lotu chce chcemy szukam szukamy potrzebuje prosze dziekuje dzieki stycznia "
        "lutego kwietnia czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia osob osoby "
        "dla nocy noce jutro dzisiaj dzis hotelu jednak raczej lepiej zamiast tylko bez nie poprosze "
        "poniedzialek wtorek czwartek piatek sobota niedziela zatrzymaj przestan dosc wystarczy "
        "anuluj czekaj samolot samolotem bilet bilety podroz dzien tydzien tanio taniej kiedy gdzie "
        "moge chcialbym chcialabym albo dwie dwa trzy bezposrednie",
        small="a dni do i ile jak jest lot lub marca na o od po przez sa sie tak to w we z za ze",
    ),
    Language(
        tag="tr",
        reply="Yalnızca İngilizce okuyabiliyorum, bu yüzden hiçbir şeyi değiştirmedim; süren bir "
        "arama, siz “stop” yazana kadar devam eder.",
        stops="dur, durun, durdur, durdurun, dur artık, aramayı durdur, aramayı bırak, bırak, "
        "bırakın, yeter, yeterli, iptal, iptal et, iptal edin, vazgeç, vazgeçtim, boş ver, boşver, "
        "bekle, bekleyin, bir dakika, kes, kapat, gerek yok, gerek kalmadı, unut, unut gitsin, "
        "aramayı kes",
        allows="evet, evet lütfen, evet olur, olur, tabii, tabii ki, elbette, evet rezervasyon yap, "
        "onaylıyorum",
        denies="hayır, hayır teşekkürler, yok teşekkürler, olmaz, istemiyorum, çok pahalı, hayır çok "
        "pahalı, yapma",
        courtesy="lütfen, teşekkürler, teşekkür ederim, sağ ol, şimdi, artık, merhaba",
        words="ucak ucus ucuslar bileti biletleri istiyorum istiyoruz ariyorum ariyoruz lutfen "
        "tesekkurler ocak subat nisan mayis haziran temmuz agustos eylul kasim aralik ocakta subatta "
        "nisanda mayista haziranda temmuzda agustosta eylulde ekimde kasimda aralikta kisi kisilik "
        "gece geceligine yarin bugun oteli otelde icin degil yerine daha ucuz olsun vazgectim "
        "hayir evet gidis donus merhaba dursun bekle yeter aktarmasiz direkt nasil nerede kadar kac "
        "gunu pazartesi carsamba persembe cuma cumartesi",
        small="otel bilet bir bu da dan de den ekim en iki pazar sali uc ve ya",
    ),
    Language(
        tag="sv",
        reply="Jag läser bara engelska och har därför inte ändrat något; en pågående sökning "
        "fortsätter tills du skriver ”stop”.",
        stops="stoppa, stanna, sluta, sluta leta, sluta söka, avbryt, avbryta, avbeställ, det "
        "räcker, räcker, nog, glöm det, strunta i det, skit i det, vänta, vänta lite, ett ögonblick, "
        "låt bli, låt vara, behövs inte",
        allows="ja tack, ja gärna, gärna, självklart, javisst, absolut ja, ja boka, boka den",
        denies="nej, nej tack, helst inte, absolut inte, för dyrt, det är för dyrt",
        courtesy="tack, snälla, nu, är du snäll, hej",
        words="flyg flyget flygbiljett jag soker och januari februari augusti oktober personer "
        "imorgon idag istallet hellre inte bara behover natt vuxna mandag tisdag onsdag torsdag "
        "fredag lordag sondag resa resor billigare billig hur kostar nar ett utan vill vanta avbryt "
        "maj juni juli",
        small="av barn de den det en er fran i ja man med mig om pa rum som tack till tre tva vi",
    ),
)
