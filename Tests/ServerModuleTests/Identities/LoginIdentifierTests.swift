import LatchkeyAccounts
import Testing

@Suite struct `Login identifiers` {
    @Test(arguments: [
        ("+46 70-123 45 67", "+46701234567"), ("Ann@Example.ORG", "ann@example.org"), ("  ann \n", "ann"),
        ("ann\u{0}a", "anna"), ("", ""), ("+12", "+12"), ("ÅSA", "åsa"),
        ("User@BÜCHER.example", "user@xn--bcher-kva.example"),
        ("user@bu\u{308}cher.example", "user@xn--bcher-kva.example"),
        ("user@xn--bcher-kva.example", "user@xn--bcher-kva.example"),
        ("user@XN--Bcher-KVA.Example", "user@xn--bcher-kva.example"),
        (" user@ｂücher.example ", "user@xn--bcher-kva.example"),
        ("jürgen@MÜNCHEN.de", "jürgen@xn--mnchen-3ya.de"),
        ("user@straße.example", "user@xn--strae-oqa.example"),
        ("user@strasse.example", "user@strasse.example"), ("用户@例子.公司", "用户@xn--fsqu00a.xn--55qx5d"),
        ("user@sub.bücher.example", "user@sub.xn--bcher-kva.example"),
        // These domains don't exist, so the identifiers are compared as text.
        ("User@-ü.example", "user@-ü.example"), ("User@ü\u{338}_.example", "user@ü\u{338}_.example"),
        ("Bücher", "bücher"), ("ü@Ü", "ü@ü"),
        ("+46\u{7F}70 1234567", "+46701234567"), ("ann \u{7F}", "ann"), ("\u{1}\u{2003}Ann", "ann"),
    ]) func `Different spellings are normalized to the same identifier`(_ text: String, _ normalized: String)
    {
        #expect(LoginIdentifier.normalize(text) == normalized)
        #expect(LoginIdentifier.normalize(normalized) == normalized)
    }
}
