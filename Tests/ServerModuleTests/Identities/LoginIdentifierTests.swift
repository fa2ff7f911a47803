import LatchkeyAccounts
import Testing

@Suite struct `Login identifiers` {
    @Test(arguments: [
        ("+46 70-123 45 67", "+46701234567"), ("Ann@Example.ORG", "ann@example.org"), ("  ann \n", "ann"),
        ("ann\u{0}a", "anna"), ("", ""), ("+12", "+12"), ("ÅSA", "åsa"),
        ("+46\u{7F}70 1234567", "+46701234567"), ("ann \u{7F}", "ann"), ("\u{1}\u{2003}Ann", "ann"),
    ]) func `Different spellings are normalized to the same identifier`(_ text: String, _ normalized: String)
    {
        #expect(LoginIdentifier.normalize(text) == normalized)
        #expect(LoginIdentifier.normalize(normalized) == normalized)
    }
}
