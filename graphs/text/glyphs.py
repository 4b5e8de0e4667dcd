"""Kanji that are written in more than one form: the two tables behind the variant and the loose key.

Belongs here: pairs "old form, modern form", one character each. Stays out: what NFKC already folds (the compatibility
ideographs of 神 福 塚 ...), kana, radicals, and any rule about when two forms are one name.

Tier A holds the same character in another glyph. Tier B holds characters that are related, or that families and
registers keep apart on purpose; it may only widen a search that something else narrows.

Sources of tier A: the old forms in brackets of the list of characters for general use (常用漢字表, 2010) and of
the list of characters for names (戸籍法施行規則 別表第二); the pairs exchanged and the simplified forms introduced by
JIS X 0208:1983 with their printed standard forms (表外漢字字体表, 2000); the variants of the unified family-register
characters (戸籍統一文字) for common surnames. A pair is left out where a reform merged two words into one character
(弁 予 余 缶 欠 糸 虫), or where a form belongs to two of the modern characters (亝 to 斉 and 斎).
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_SURNAME_FORMS: Final = (
    "髙高 﨑崎 濵浜 濱浜 栁柳 桺柳 德徳 瀨瀬 𠮷吉 眞真 澤沢 廣広 國国 櫻桜 惠恵 榮栄 條条 壽寿 黑黒 圓円 佛仏 "
    "邊辺 邉辺 齋斎 齊斉 桒桑 冝宜 圡土 𡈽土 靏鶴 靍鶴 靎鶴 鸖鶴 來来 實実 學学 藝芸 豐豊 濟済 會会 應応 關関 "
    "觀観 嶽岳 巖巌 彌弥 彥彦 淺浅 淸清 瀧滝 燈灯 狹狭 盡尽 總総 縣県 繩縄 莊荘 萬万 與与 譽誉 鄕郷 鐵鉄 鎭鎮 "
    "鷄鶏 鹽塩 黃黄 增増 寬寛 晉晋 曉暁 橫横 步歩 每毎 穗穂 綠緑 緖緒 薰薫 賴頼 郞郎 靑青 顯顕 亞亜 兒児 勳勲 "
    "團団 壯壮 奧奥 峽峡 效効 數数 昻昂 樂楽 歐欧 澁渋 當当 禮礼 稻稲 經経 續続 臺台 號号 虛虚 衞衛 轉転 隱隠 "
    "靈霊 騷騒 驗験 舊旧 處処 藥薬 讀読 塡填 巢巣 祿禄 逹達 柗松 枩松 杦杉 曻昇 柹柿 槗橋 𣘺橋 舩船 戶戸 户戸 "
    "內内 吳呉 鷗鴎 﨟臘 臈臘 兔兎 𨘢辺 𨕙辺 𫟪辺 𫞎橋 𫞏橋 宐宜 塜塚 枾柿 檆杉 梥松 枀松 囯国"
)

_GENERAL_USE: Final = (
    "惡悪 壓圧 圍囲 爲為 醫医 壹壱 營営 驛駅 緣縁 艷艶 毆殴 溫温 穩穏 假仮 價価 畫画 壞壊 懷懐 繪絵 擴拡 殼殻 "
    "覺覚 勸勧 卷巻 歡歓 陷陥 顏顔 歸帰 氣気 龜亀 僞偽 戲戯 犧犠 據拠 擧挙 挾挟 區区 驅駆 徑径 揭掲 攜携 溪渓 "
    "繼継 莖茎 螢蛍 輕軽 擊撃 儉倹 劍剣 圈圏 檢検 權権 獻献 險険 嚴厳 恆恒 鑛鉱 碎砕 劑剤 册冊 雜雑 參参 慘惨 "
    "棧桟 蠶蚕 贊賛 殘残 齒歯 辭辞 濕湿 舍舎 寫写 釋釈 收収 從従 獸獣 縱縦 肅粛 敍叙 尙尚 奬奨 獎奨 將将 涉渉 "
    "燒焼 稱称 證証 乘乗 剩剰 壤壌 孃嬢 淨浄 狀状 疊畳 讓譲 釀醸 囑嘱 觸触 寢寝 愼慎 圖図 粹粋 醉酔 隨随 髓髄 "
    "樞枢 聲声 靜静 攝摂 竊窃 專専 戰戦 潛潜 纖繊 踐践 錢銭 禪禅 雙双 搜捜 插挿 爭争 瘦痩 裝装 臟臓 卽即 屬属 "
    "墮堕 體体 對対 帶帯 滯滞 擇択 單単 擔担 膽胆 彈弾 斷断 癡痴 遲遅 晝昼 鑄鋳 廳庁 徵徴 聽聴 敕勅 遞逓 點点 "
    "傳伝 黨党 盜盗 鬪闘 獨独 屆届 貳弐 惱悩 腦脳 霸覇 廢廃 拜拝 賣売 麥麦 發発 髮髪 拔抜 蠻蛮 祕秘 甁瓶 拂払 "
    "竝並 變変 舖舗 寶宝 沒没 滿満 默黙 餠餅 譯訳 搖揺 樣様 謠謡 亂乱 覽覧 兩両 獵猟 壘塁 勵励 隸隷 齡齢 曆暦 "
    "歷歴 戀恋 鍊錬 爐炉 勞労 樓楼 錄録 灣湾 淚涙 稅税 說説 銳鋭 悅悦 閱閲 脫脱 敎教 產産 强強 旣既 娛娯 蔣蒋 "
    "晚晩 麴麹 槪概 渴渇 硏研 戾戻 絕絶 歲歳 聰聡 姊姉 姬姫 煕熙 羣群 擕携 鬭闘"
)

_NAME_AND_PRINT_FORMS: Final = (
    "堯尭 檜桧 穰穣 禱祷 瑤瑶 鶯鴬 籠篭 竈竃 藪薮 頰頬 頸頚 礦砿 蘂蕊 靱靭 賤賎 壺壷 礪砺 檮梼 濤涛 邇迩 蠅蝿 "
    "儘侭 鰺鯵 蠣蛎 攪撹 灌潅 諫諌 啞唖 焰焔 嚙噛 俠侠 軀躯 鹼鹸 屢屡 繫繋 醬醤 蟬蝉 搔掻 驒騨 簞箪 摑掴 顚顛 "
    "瀆涜 囊嚢 潑溌 醱醗 麵麺 萊莱 蠟蝋 攢攅 剝剥 𠮟叱 吞呑 屛屏 幷并 繡繍 倂併 禰祢 彎弯 蘆芦"
)

_RELATED: Final = (
    "斉斎 嶋島 嶌島 峯峰 龍竜 凜凛 遙遥 曾曽 藏蔵 舘館 冨富 槇槙 邨村 渕淵 碕崎 埼崎 嵜崎 埜野 薗園 穐秋 龝秋 "
    "凉涼 晄晃 亙亘 萠萌 斈学 栢柏 楳梅 龢和 㠀島 㟢崎 渊淵 囦淵 壄野"
)


_SMALL_KANA: Final = "ヶケ ヵカ"


def _table(*blocks: str) -> Mapping[int, str]:
    return MappingProxyType({ord(old): modern for block in blocks for old, modern in block.split()})


TIER_A: Final[Mapping[int, str]] = _table(_SURNAME_FORMS, _GENERAL_USE, _NAME_AND_PRINT_FORMS)
"""Code point of the old form to the modern form."""

TIER_B: Final[Mapping[int, str]] = _table(_RELATED)
"""Code point of a related form to the form the loose key stands on."""

_MODERN: Final[Mapping[int, str]] = _table(_SURNAME_FORMS, _GENERAL_USE, _NAME_AND_PRINT_FORMS, _SMALL_KANA)
# Looking a character up in a mapping is far dearer than the scan of a set, and few names need the former.
_ANY_OLD: Final = re.compile(f"[{''.join(map(chr, _MODERN))}]")
_ANY_RELATED: Final = re.compile(f"[{''.join(map(chr, TIER_B))}]")


def modernise(text: str) -> str:
    """Return the text with every old form of tier A in its modern form, and ヶ and ヵ in full size."""
    return text.translate(_MODERN) if _ANY_OLD.search(text) else text


def merge_related(text: str) -> str:
    """Return the text with every form of tier B in the form the loose key stands on."""
    return text.translate(TIER_B) if _ANY_RELATED.search(text) else text
