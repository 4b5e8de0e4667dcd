"""Codes and Japanese names of countries, as results and profiles write them.

Belongs here: the lists alone. Sources: ISO 3166-1, the codes of the International Olympic Committee where they
differ, and the names in common use in Japanese athletics.
"""

_ALPHA_3 = """
ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM BLR
BLZ BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB CUW CXR CYM CYP
CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB
GNB GNQ GRC GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN
KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD
MLI MLT MMR MNE MNG MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN
PCN PER PHL PLW PNG POL PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM
SPM SRB SSD STP SUR SVK SVN SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON TTO TUN TUR TUV TWN TZA UGA UKR
UMI URY USA UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE ALG ANG ANT ARU ASA BAH BAN BAR BER BHU BIZ BOT
BRU BUL BUR CAM CAY CHA CHI CGO CRC CRO DEN ESA FIJ GAM GBS GEQ GER GRE GRN GUA GUI HAI HON INA IRI ISV IVB KSA KUW
LAT LBA LES MAD MAS MAW MGL MON MRI MTN MYA NED NEP NGR NIG OMA PAR PHI PLE POR PUR ROT RSA SAM SEY SIN SKN SLO SOL
SRI SUD SUI TAN TGA TPE UAE URU VAN VIE VIN ZAM ZIM
"""

_ALPHA_2 = """
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD
GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH
KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW
MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC
SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY
UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
"""

_NAMES_JA = """
日本 ケニア エチオピア ウガンダ タンザニア ルワンダ ブルンジ エリトリア ソマリア 南アフリカ ナイジェリア ガーナ
セネガル カメルーン コンゴ モロッコ アルジェリア チュニジア エジプト スーダン 南スーダン ザンビア ジンバブエ
ボツワナ ナミビア アンゴラ モザンビーク マダガスカル マラウイ レソト エスワティニ ジブチ マリ ギニア ガンビア
コートジボワール トーゴ ベナン ブルキナファソ アメリカ 米国 カナダ メキシコ ブラジル アルゼンチン チリ ペルー
コロンビア エクアドル ベネズエラ ボリビア ウルグアイ パラグアイ キューバ ジャマイカ バハマ トリニダード・トバゴ
パナマ コスタリカ グアテマラ ドミニカ プエルトリコ イギリス 英国 フランス ドイツ イタリア スペイン ポルトガル
オランダ ベルギー スイス オーストリア アイルランド デンマーク ノルウェー スウェーデン フィンランド アイスランド
ポーランド チェコ スロバキア ハンガリー ルーマニア ブルガリア ギリシャ トルコ ウクライナ ベラルーシ ロシア
エストニア ラトビア リトアニア クロアチア セルビア スロベニア ルクセンブルク 中国 中華人民共和国 韓国 大韓民国
北朝鮮 台湾 香港 マカオ モンゴル フィリピン ベトナム タイ ミャンマー カンボジア ラオス マレーシア シンガポール
インドネシア ブルネイ 東ティモール インド パキスタン バングラデシュ スリランカ ネパール ブータン カザフスタン
ウズベキスタン キルギス タジキスタン トルクメニスタン イラン イラク イスラエル ヨルダン サウジアラビア
アラブ首長国連邦 カタール バーレーン クウェート オマーン イエメン オーストラリア ニュージーランド フィジー サモア
トンガ パプアニューギニア バヌアツ パラオ グアム
"""

ALPHA_3 = frozenset(_ALPHA_3.split())
"""Three-letter codes; the archive's own form is one of these, such as JPN."""

ALPHA_2 = frozenset(_ALPHA_2.split())
"""Two-letter codes."""

NAMES_JA = frozenset(_NAMES_JA.split())
"""Names of countries and regions that send athletes, as Japanese lists print them."""
