"""The columns of GDELT 2.0 files, in file order, and what its event codes mean.

The published files have no header; other programs write one. Names follow the codebooks.
"""

from collections.abc import Mapping

EVENTS: tuple[str, ...] = (
    "GLOBALEVENTID", "SQLDATE", "MonthYear", "Year", "FractionDate",
    "Actor1Code", "Actor1Name", "Actor1CountryCode", "Actor1KnownGroupCode", "Actor1EthnicCode",
    "Actor1Religion1Code", "Actor1Religion2Code", "Actor1Type1Code", "Actor1Type2Code",
    "Actor1Type3Code",
    "Actor2Code", "Actor2Name", "Actor2CountryCode", "Actor2KnownGroupCode", "Actor2EthnicCode",
    "Actor2Religion1Code", "Actor2Religion2Code", "Actor2Type1Code", "Actor2Type2Code",
    "Actor2Type3Code",
    "IsRootEvent", "EventCode", "EventBaseCode", "EventRootCode", "QuadClass", "GoldsteinScale",
    "NumMentions", "NumSources", "NumArticles", "AvgTone",
    "Actor1Geo_Type", "Actor1Geo_FullName", "Actor1Geo_CountryCode", "Actor1Geo_ADM1Code",
    "Actor1Geo_ADM2Code", "Actor1Geo_Lat", "Actor1Geo_Long", "Actor1Geo_FeatureID",
    "Actor2Geo_Type", "Actor2Geo_FullName", "Actor2Geo_CountryCode", "Actor2Geo_ADM1Code",
    "Actor2Geo_ADM2Code", "Actor2Geo_Lat", "Actor2Geo_Long", "Actor2Geo_FeatureID",
    "ActionGeo_Type", "ActionGeo_FullName", "ActionGeo_CountryCode", "ActionGeo_ADM1Code",
    "ActionGeo_ADM2Code", "ActionGeo_Lat", "ActionGeo_Long", "ActionGeo_FeatureID",
    "DATEADDED", "SOURCEURL",
)  # fmt: skip

MENTIONS: tuple[str, ...] = (
    "GLOBALEVENTID", "EventTimeDate", "MentionTimeDate", "MentionType", "MentionSourceName",
    "MentionIdentifier", "SentenceID", "Actor1CharOffset", "Actor2CharOffset", "ActionCharOffset",
    "InRawText", "Confidence", "MentionDocLen", "MentionDocTone", "MentionDocTranslationInfo",
    "Extras",
)  # fmt: skip

GKG: tuple[str, ...] = (
    "GKGRECORDID", "DATE", "SourceCollectionIdentifier", "SourceCommonName", "DocumentIdentifier",
    "Counts", "V2Counts", "Themes", "V2Themes", "Locations", "V2Locations", "Persons", "V2Persons",
    "Organizations", "V2Organizations", "V2Tone", "Dates", "GCAM", "SharingImage", "RelatedImages",
    "SocialImageEmbeds", "SocialVideoEmbeds", "Quotations", "AllNames", "Amounts",
    "TranslationInfo", "Extras",
)  # fmt: skip

KINDS: Mapping[str, tuple[str, ...]] = {"event": EVENTS, "mention": MENTIONS, "gkg": GKG}

NEEDED: Mapping[str, tuple[str, ...]] = {
    "event": (
        "GLOBALEVENTID", "SQLDATE", "Actor1Name", "Actor2Name", "EventRootCode", "NumArticles",
        "AvgTone", "Actor1Geo_FullName", "Actor2Geo_FullName", "ActionGeo_FullName", "DATEADDED",
        "SOURCEURL",
    ),
    "mention": ("GLOBALEVENTID", "MentionTimeDate", "MentionIdentifier", "MentionDocTone"),
    "gkg": (
        "GKGRECORDID", "DATE", "DocumentIdentifier", "Persons", "Organizations", "Locations",
        "V2Tone", "Quotations", "AllNames", "Extras",
    ),
}  # fmt: skip

# The twenty root codes of CAMEO, in our own words.
ROOT_CODES: Mapping[str, str] = {
    "01": "said something in public",
    "02": "made an appeal",
    "03": "said it would cooperate",
    "04": "met or talked with",
    "05": "cooperated diplomatically with",
    "06": "cooperated in deeds with",
    "07": "gave aid to",
    "08": "gave way to",
    "09": "investigated",
    "10": "made a demand",
    "11": "criticised",
    "12": "rejected something of",
    "13": "threatened",
    "14": "protested against",
    "15": "showed force towards",
    "16": "cut back relations with",
    "17": "put pressure on",
    "18": "attacked",
    "19": "fought with",
    "20": "used mass violence against",
}


def sentence_of(actor1: str, actor2: str, root_code: str, place: str) -> str:
    """One plain line about an event row, for rows whose address spells no headline."""
    deed = ROOT_CODES.get(root_code, "was reported with")
    first, second = actor1.title() or "Somebody", actor2.title()
    where = f" ({place})" if place else ""
    return f"{first} {deed} {second}".strip() + where
