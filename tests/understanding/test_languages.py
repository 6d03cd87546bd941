"""Other languages: what stops stops, what decides decides, and nothing else of them is searched half read."""

import json
from pathlib import Path

import pytest

from backend.travel.understanding.languages.detect import LANGUAGES, foreign_decision, foreign_in
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, told
from tests.understanding.held_out import DATES, PLACES

STOPS = {
    "es": ("basta", "para ya", "Detente por favor", "déjalo", "olvídalo, gracias", "cancela la búsqueda"),
    "fr": ("arrête", "Arrêtez s'il vous plaît", "laisse tomber", "annulez", "ça suffit merci", "stop, merci"),
    "de": (
        "stopp",
        "hör auf",
        "Halt!",
        "abbrechen bitte",
        "lass gut sein",
        "vergiss es",
        "das reicht, danke",
    ),
    "it": ("basta così", "fermati", "lascia perdere", "annulla", "basta, grazie", "aspetta"),
    "pt": ("pare, por favor", "chega", "deixa pra lá", "cancela", "pare de procurar"),
    "nl": ("laat maar", "hou op", "annuleer", "genoeg, dank je", "wacht even"),
    "pl": ("zatrzymaj", "przestań proszę", "dość", "anuluj", "nieważne"),
    "tr": ("dur", "durdur lütfen", "yeter", "iptal et", "vazgeçtim", "boşver"),
    "sv": ("sluta", "avbryt tack", "det räcker", "stoppa nu"),
    "ru": ("стоп", "Хватит!", "остановите поиск, пожалуйста", "отмена", "не надо", "я передумал"),
    "uk": ("зупини", "досить", "скасуй"),
    "ar": ("توقف", "كفى", "إلغاء من فضلك", "قف"),
    "zh": ("停", "停止搜索", "算了", "别找了", "请停止", "不用了谢谢", "取消"),
    "ja": ("止めて", "やめてください", "ストップ", "もういいです", "キャンセル"),
    "ko": ("그만", "멈춰 주세요", "취소", "중지해 주세요"),
    "hi": ("रुको", "बस करो", "बंद करो कृपया"),
}
REQUESTS = {
    "es": (
        "busco vuelos de Madrid a Londres para el 10 de enero",
        "no, mejor a París",
        "quiero un hotel en Roma",
        "prefiero salir el martes",
        "somos dos personas",
        "¿cuánto cuesta?",
        "del 13 al 16",
        "del 3 de mayo al 10",
        "una habitación con piscina",
    ),
    "fr": (
        "Bonjour, je cherche un vol Paris - Rome le 5 janvier",
        "un hôtel à Rome du 5 au 8 janvier",
        "non, plutôt à Lyon",
        "finalement deux personnes",
        "du 13 au 16",
        "merci, au revoir",
        "moins cher s'il vous plaît",
    ),
    "de": (
        "Flug von Berlin nach Lissabon am 12. Dezember für 2 Personen",
        "nur Direktflüge bitte",
        "nein, lieber nach Rom",
        "doch besser am Dienstag",
        "Ich brauche ein Zimmer in Wien",
        "Wien nach Prag",
    ),
    "it": (
        "vorrei un volo da Milano a Parigi il 10 gennaio",
        "no, meglio a Torino",
        "cerco un albergo a Roma",
        "siamo in tre, due notti",
        "anzi, domani",
    ),
    "pt": (
        "voo de Lisboa para Londres dia 20 de dezembro",
        "não, melhor Porto",
        "quero um quarto em Lisboa",
        "preciso de um hotel amanhã",
    ),
    "nl": (
        "vlucht van Amsterdam naar Rome op 3 januari",
        "nee, toch liever Parijs",
        "ik zoek een hotel voor twee nachten",
        "kan het goedkoper",
    ),
    "pl": ("lot z Warszawy do Barcelony 15 stycznia", "nie, jednak do Rzymu", "szukam hotelu dla dwóch osób"),
    "tr": (
        "15 Ocak'ta İstanbul'dan Berlin'e uçak bileti",
        "hayır, Roma daha iyi",
        "iki kişilik otel istiyorum",
    ),
    "sv": ("jag söker flyg till Paris", "nej, hellre på fredag", "vi behöver ett rum"),
    "ru": ("рейс из Москвы в Рим 10 января", "нет, лучше в Париж", "нужна гостиница на две ночи"),
    "uk": ("рейс із Києва до Риму", "ні, краще до Парижа, двоє людей і їхні діти"),
    "ar": ("رحلة من دبي إلى لندن يوم 10 يناير", "لا، من الأفضل باريس"),
    "zh": ("我想订1月10日从北京到上海的机票", "不，去巴黎", "两个人的酒店"),
    "ja": ("1月10日に東京から大阪への便", "やっぱりパリにします", "ホテルを二泊お願い"),
    "ko": ("1월 10일 서울에서 부산 가는 비행기", "아니요, 파리로 바꿔 주세요"),
    "hi": ("दिल्ली से मुंबई की उड़ान", "नहीं, पेरिस बेहतर है"),
}
ENGLISH = (
    "max 300 euros per person", "300 per night", "depart Friday", "moment", "depart 9 am Rome",
    "no importance",
    "flights from Köln to São Paulo", "hotel in La Rochelle", "Das Hotel Adlon",
    "Hotel Zum Löwen in Freiburg",
    "Rio de Janeiro to Palma de Mallorca", "Gare du Nord", "Łódź to Gdańsk on Friday", "Palo Alto",
    "the Hôtel de la Poste in Le Havre", "El Nido in January", "San José to Bogotá", "Île-de-France",
    "Ein Gedi", "cancel DEMO-KANN5M", "DEMO-2ICH7X",
    "Frankfurt (Oder)", "Ho Chi Minh City to Đà Nẵng", "a hotel near Sans Souci", "Mardi Gras in New Orleans",
    "flights to Nice, merci", "ciao, I need a flight to Rome", "hola, flights to Madrid please", "Nur-Sultan",
    "how do you say goodbye in spanish, hasta la vista?", "café with croissants near the hotel",
    "Hotel Unter den Linden",
    "Casa Marina", "Santo Domingo to San Juan", "ber lis 12/12 - 15/12 2 ppl", "Zürich",
    "München -> Malmö, 3 Mai",
    "stop", "no", "ok", "die hard", "also a hotel in Die, France", "a barn near Bath",
    "I had rum and ate late",
    "flights to 東京 on Friday", "hotel in Москва from 3 to 5 May", "İstanbul to İzmir",
    "Dans le Noir restaurant",
)  # fmt: skip
FOREIGN_AMONG_THEM = {
    "Ich möchte lieber nach Wien fliegen",
    "je cherche un hôtel à Lyon pour demain soir",
    "quiero volver el martes, por favor",
    "やっぱり京都にします",
}
SAID = [(code, said) for table in (REQUESTS,) for code, some in table.items() for said in some]


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("code", "said"), [(code, each) for code, some in STOPS.items() for each in some])
def test_stop_of_another_language_stops(code: str, said: str) -> None:
    understood = told(LISBON, said)
    assert (understood.relation, understood.agents) == ("stop", ())
    assert understood.flight == told(LISBON).flight


@pytest.mark.requirement("NO-LANGUAGE-IS-HALF-READ")
@pytest.mark.parametrize(("code", "said"), SAID)
def test_of_a_request_in_another_language_nothing_is_taken(code: str, said: str) -> None:
    found = foreign_in(said)
    assert found is not None
    assert (found.language, found.stops) == (code, False)
    after = told(LISBON, said)
    assert (after.relation, after.agents, after.refused) == ("other", (), ())
    assert (after.flight, after.hotel) == (told(LISBON).flight, told(LISBON).hotel)
    alone = told(said)
    assert (alone.relation, alone.agents) == ("other", ())


@pytest.mark.requirement("ENGLISH-IS-NEVER-REFUSED")
@pytest.mark.parametrize("said", ENGLISH)
def test_names_of_places_make_no_message_foreign(said: str) -> None:
    assert foreign_in(said) is None


@pytest.mark.requirement("ENGLISH-IS-NEVER-REFUSED")
def test_no_message_that_was_written_for_the_rules_is_taken_for_foreign() -> None:
    here = Path(__file__).parent
    rows = [
        json.loads(line)
        for name in ("held_out", "held_out_bookings", "mind_changes")
        for line in (here / f"{name}.jsonl").read_text().splitlines()
    ]
    said = {each for row in rows for each in _texts(row)} | {phrase.said for phrase in (*DATES, *PLACES)}
    assert len(said) > 500
    assert {each for each in said if foreign_in(each)} == FOREIGN_AMONG_THEM


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    some = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in some for text in _texts(each)]


def test_each_language_has_a_reply_of_its_own_that_says_how_to_stop() -> None:
    replies = [row.reply for row in LANGUAGES.values()]
    assert len(set(replies)) == len(LANGUAGES) >= 15
    assert all("stop" in reply for reply in replies)


def test_words_to_stop_allow_and_deny_differ_in_each_language() -> None:
    for row in LANGUAGES.values():
        some = [row.stops, row.allows, row.denies, row.courtesy]
        assert sum(map(len, some)) == len(set().union(*some)), row.tag


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(
    "said",
    ["Sí", "sí, por favor", "oui", "Oui, s'il vous plaît", "ja", "Ja bitte!", "sì grazie", "sim",
     "ja graag", "tak, proszę",
     "evet", "да", "да, пожалуйста", "نعم", "是的", "好的，谢谢", "はい", "네", "हाँ"],
)  # fmt: skip
def test_plain_yes_of_another_language_allows(said: str) -> None:
    assert foreign_decision(said) == "allow"


@pytest.mark.requirement("A-NO-IS-A-NO")
@pytest.mark.parametrize(
    "said",
    ["no gracias", "non merci", "Nein, danke", "nee", "não, obrigado", "nie, dziękuję", "hayır", "нет",
     "لا شكرا", "不要",
     "いいえ", "아니요", "नहीं", "zu teuer", "c'est trop cher", "demasiado caro", "nej tack"],
)  # fmt: skip
def test_plain_no_of_another_language_denies(said: str) -> None:
    assert foreign_decision(said) == "deny"


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(
    "said",
    ["sí, pero más barato", "oui mais demain", "ja, aber nur eine Nacht", "oui?", "tak", "merci", "danke",
     "gracias", "da",
     "si no", "ja nein", "basta", "sí y no", "はいですか", "好的，但是便宜一点", "да?", "evet ama", "",
     "yes", "no sé",
     "да нет",
     "bitte", "grazie", "oui oui non", "sim se for barato",
     "да 👎", "ja 🤔", "да…", "ja...", "いいです", "いいです、ありがとうございます", "行了吧", "对了"],
)  # fmt: skip
def test_nothing_else_of_another_language_allows(said: str) -> None:
    assert foreign_decision(said) != "allow"


def test_request_of_another_language_does_not_change_a_tour_nor_withdraw_a_wish_for_a_booking() -> None:
    tour = told("Rome, Athens and Lisbon from Berlin in any order in May, 3 nights each", "no, mejor a París")
    assert tour.tour is not None
    assert told(BERLIN_TO_TOKYO, "book the cheapest", "mejor a París").relation == "other"
