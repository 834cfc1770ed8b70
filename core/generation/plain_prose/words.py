"""What the grammar knows of words: the small ones of a sentence, verbs, labels, units."""


def words_of(text: str) -> frozenset[str]:
    """The words of a list that is written in one line."""
    return frozenset(text.split())


SHORT = words_of("am an as at be by do go he if in is it me my no of on or ox so to up us we")
"""Words of two letters; the dictionary's others are rarer than misprints."""

FUNCTION = words_of(
    "a about above after again against all along also although always am among an and any are as "
    "at be became because become been before being below between both but by can cannot could did "
    "do does done due during each either else even ever every few first for from further had has "
    "have having he hence her here him his how however i if in instead into is it its itself just "
    "least less like many may me might more most much must my near neither never no nor not now of "
    "off often on once one only onto or other others our out over own per quite rather s same she "
    "should since so some still such than that the their them then there therefore these they this "
    "those though three through thus to together too toward towards two under until up upon us "
    "used using very via was we well were what when where whereas whether which while who whom "
    "whose why will with within without would yet you your"
)
"""Words that every English sentence is made of."""

VERBS = words_of(
    "am are be been being is was were has have had do does did can cannot could may might must "
    "shall should will would we they he she there it i who become becomes became seem seems seemed "
    "remain remains remained show shows showed shown find found give gives gave make makes made "
    "take takes took use uses used let note notice recall consider suppose assume define denote "
    "see get gets got go goes went come comes came know known say says said think thought "
    "mean means "
    "meant need needs follow follows hold holds held lead leads led depend depends occur occurs "
    "exist exists contain contains require requires include includes provide provides suggest "
    "suggests imagine leave leaves left keep keeps kept begin begins began differ differs vary "
    "varies appear appears imply implies describes summarizes summarises presents discusses "
    "reports supports support persist persists matter matters completes yields suffer suffers "
    "create creates produces allows enables outperforms omits arrive arrives looks indicates "
    "reveals demonstrates compares combines gets explains captures represents reflects affects "
    "causes drives plays serves helps offers runs reads writes tends fails varied falls rises fell "
    "rose grew grows prove proves turns works happens relies rely stands comes cites treats gains "
    "loses lost won built sets puts measures"
)
"""By these a short sentence shows that it is none of the headings."""

LABELS = words_of(
    "age algorithm appendix article assumption axiom batch block bus case category chapter "
    "chromosome class claim cluster clusters cohort column condition conjecture corollary day days "
    "definition dimension dimensions element equation equations example experiment experiments "
    "exon factor figure figures form generation grade group groups hour hours hypothesis "
    "iteration layer lemma level levels line lines list method model models month months node "
    "number order page pages panel part period phase point points position problem proposition "
    "quarter question region regions release remark round row rule sample scale scenario season "
    "section sections site sites species stage stages state step steps study studies subject table "
    "tables task test theorem time times topic trial type types unit version wave week weeks world "
    "year years zone"
)
"""Nouns that are followed by a number: ``chapter 3``."""

BEFORE_NUMBERS = words_of(
    "a about above after all almost and any approximately are around as at average be before below "
    "between both but by circa containing equal equals every exactly exceed exceeded exceeding "
    "exceeds first following for from had has have in include included includes including into is "
    "last least less lower more most n nearly next of on only or other over past per plus previous "
    "reach reached reaches remaining roughly some than the these this those through to total top "
    "under until up upper used using versus was were where which with within than "
    "january february march april may june july august september october november december"
)

ABBREVIATIONS = words_of(
    "al approx bros ca cf co corp dept dr ed eds et etc ff fig figs inc incl jr ltd max min mr mrs "
    "ms no nos prof resp spp sr st viz vol vs"
)
"""What a full stop shortens in the middle of a sentence."""

UNITS = words_of(
    "nm µm μm mm cm m km pc kpc Mpc Gpc AU au ly nmol mol mmol µmol M mM µM nM g kg mg µg ng t s "
    "ms µs ns ps fs min h hr hrs d yr Myr Gyr kyr Hz kHz MHz GHz THz eV keV MeV GeV TeV K "
    "mK °C °F °N "
    "°S °E °W Pa kPa MPa GPa hPa bar mbar J kJ MJ W kW MW GW mW V mV kV A mA Ω N mN T mT G L l mL "
    "ml µL dB dBm bp kb Mb Gb kDa Da KB MB GB TB ha ppm ppb rpm px fps mAh Wh kWh m² m³ km² cm² "
    "cm³ mm² m/s km/h km/s g/L mg/L mg/kg µg/L s⁻¹ m⁻¹ cm⁻¹ yr⁻¹ % am pm CE BC AD BCE"
)

PREFIXES = words_of(
    "re pre non co multi anti semi sub ex de un vs ultra inter intra post pro self quasi mid meta "
    "micro macro e"
)
"""What stands before a hyphen and is not a word by itself."""

FIELD = words_of(
    "backend backends biomarker biomarkers bioinformatics chatbot chatbots cryptocurrency dataset "
    "datasets datapoint datapoints eigenvalue eigenvalues eigenvector eigenvectors frontend "
    "genomic genomics hyperparameter hyperparameters iid lifecycle lognormal metabolomics metadata "
    "metagenomics microbiome microbiota multimodal multivariate neuroimaging omics ontologies "
    "ontology overfit overfits overfitted overfitting parametrization parameterization preprint "
    "preprints preprocess preprocessed preprocessing proteome proteomic proteomics runtime "
    "runtimes scalable scalability softmax subgroup subgroups subnetwork subproblem subsample "
    "subsampling timescale timescales timestamp timestamps timestep timesteps toolkit toolkits "
    "tradeoff tradeoffs transcriptome transcriptomic transcriptomics underfitting univariate "
    "bivariate workflow workflows benchmarked benchmarking bootstrapped bootstrapping crowdsourced "
    "crowdsourcing generalizability reproducibility replicability heteroskedasticity "
    "homoskedasticity endogeneity exogeneity covariate covariates estimand estimands estimator "
    "estimators interpretability explainability embeddings tokenizer tokenization website websites "
    "online offline internet smartphone smartphones blog blogs email emails eukaryotic prokaryotic "
    "phylogenetic phylogenies spatiotemporal wellbeing healthcare stakeholder stakeholders "
    "policymaker policymakers policymaking neoliberal intersectional intersectionality"
)
"""Words of articles that the dictionary is too old for."""

LATIN = words_of(
    "in vitro vivo situ silico priori posteriori facto versa vice ad hoc et al ceteris van von "
    "der den"
)

NEVER = words_of(
    "TODO FIXME ADD FIGURE FIGURES TABLE SECTION CITE CITATION REF REFS NOTE TBD TBA CHECK INSERT "
    "XX XXX XXXX ABSTRACT INTRODUCTION METHODS RESULTS DISCUSSION"
)
"""Words in capitals that an author leaves for himself, and headings."""
