"""Names of places that no table of cities holds: states in short, airports as they are called."""


def _table(rows: str) -> dict[str, str]:
    """Parse `key=value, key=value,` over several lines."""
    pairs = (row.split("=") for row in " ".join(rows.split()).split(",") if row)
    return {key.strip(): value.strip() for key, value in pairs}


STATES = _table(
    """
    Alabama=al, Alaska=ak, Arizona=az, Arkansas=ar, California=ca, Colorado=co, Connecticut=ct,
    Delaware=de, District of Columbia=dc, Florida=fl, Georgia=ga, Hawaii=hi, Idaho=id, Illinois=il,
    Indiana=in, Iowa=ia, Kansas=ks, Kentucky=ky, Louisiana=la, Maine=me, Maryland=md, Massachusetts=ma,
    Michigan=mi, Minnesota=mn, Mississippi=ms, Missouri=mo, Montana=mt, Nebraska=ne, Nevada=nv,
    New Hampshire=nh, New Jersey=nj, New Mexico=nm, New York=ny, North Carolina=nc, North Dakota=nd,
    Ohio=oh, Oklahoma=ok, Oregon=or, Pennsylvania=pa, Rhode Island=ri, South Carolina=sc,
    South Dakota=sd, Tennessee=tn, Texas=tx, Utah=ut, Vermont=vt, Virginia=va, Washington=wa,
    West Virginia=wv, Wisconsin=wi, Wyoming=wy, Ontario=on, Quebec=qc, British Columbia=bc, Alberta=ab,
    New South Wales=nsw, Victoria=vic, Queensland=qld,
    """
)
"""Subdivision to its abbreviation, which counts only in capitals: "Portland, OR"."""

AIRPORT_NAMES = _table(
    """
    heathrow=LHR, gatwick=LGW, stansted=STN, luton=LTN, london city=LCY, ohare=ORD, midway=MDW,
    laguardia=LGA, la guardia=LGA, newark=EWR, narita=NRT, haneda=HND, kansai=KIX, itami=ITM,
    schiphol=AMS, charles de gaulle=CDG, orly=ORY, dulles=IAD, fiumicino=FCO, malpensa=MXP, linate=LIN,
    changi=SIN, sheremetyevo=SVO, arlanda=ARN, gardermoen=OSL, ataturk=ISL, suvarnabhumi=BKK,
    don mueang=DMK, sky harbor=PHX, sea tac=SEA, seatac=SEA, hartsfield=ATL, hartsfield jackson=ATL,
    logan airport=BOS, sabiha gokcen=SAW, tegel=BER, brandenburg=BER, barajas=MAD, el prat=BCN,
    """
)
"""Airports people call by name, folded, to their codes."""
