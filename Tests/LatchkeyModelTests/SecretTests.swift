import LatchkeyModel
import Testing

@Suite struct `Secret values` {
    private struct Holder {
        let token: Secret
        let other: Secret?
    }

    @Test func `Printing a secret does not reveal it, even inside other values`() {
        let secret: Secret = "hunter2"
        let holder = Holder(token: secret, other: secret)
        var dumped = ""
        dump(secret, to: &dumped)
        dump(holder, to: &dumped)
        dump([secret: [secret]], to: &dumped)
        var printed = ""
        print(secret, holder, [secret], [secret: secret] as Any, Optional(secret) as Any, to: &printed)
        debugPrint(secret, holder, to: &printed)
        let texts = [
            "\(secret)", String(describing: secret), String(reflecting: secret), "\(holder)",
            String(reflecting: holder), String(reflecting: Optional(secret)), dumped, printed,
            "\(Mirror(reflecting: secret).children.map(\.value))",
        ]

        for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
        #expect("\(secret)" == "‹secret›")
        #expect(secret.exposed == "hunter2")
    }

    @Test func `Secrets are equal only if they have the same text`() {
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
    }
}
