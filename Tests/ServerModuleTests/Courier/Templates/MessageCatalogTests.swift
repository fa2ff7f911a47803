import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import Testing

@Suite struct `Custom message templates` {
    private func catalog(_ files: [String: String]) throws -> MessageCatalog {
        try MessageCatalog(replacing: files.mapValues { Array($0.utf8) })
    }

    private func message(_ kind: MessageKind, by channel: Message.Channel, from catalog: MessageCatalog)
        -> Message
    {
        MessageWriter(catalog, app: "Tom & Co").message(
            kind,
            to: channel == .email ? "user@example.com" : "+439999999999",
            by: channel,
            code: OneTimeCode("271501"),
            lifespan: .seconds(600),
            language: .swedish,
            at: Timestamp(seconds: 0),
            random: SystemRandom()
        )
    }

    @Test func `Operators can replace individual templates`() throws {
        let catalog = try catalog([
            "sv/login_code_valid.sms.txt": "{{code}} hos {{app}}\n",
            "sv/login_code_valid.mail.subject.txt": "Kod{{for_app}}\n",
            "sv/recovery_code_valid.mail.txt": "{{ code }}, {{minutes}} min, {{address}}\n",
            "sv/recovery_code_valid.mail.html":
                "<!-- x --><style>p { margin: 0 }</style><a href=\"https://x.test/?code={{code}}\">{{app}} {{code}}</a>",
        ])
        let sms = message(.loginCode, by: .sms, from: catalog)
        #expect(sms.body == "271501 hos Tom & Co")
        let mail = message(.loginCode, by: .email, from: catalog)
        #expect(mail.subject == "Kod för Tom & Co")
        #expect(mail.body == message(.loginCode, by: .email, from: .builtIn).body)
        let recovery = message(.recoveryCode, by: .email, from: catalog)
        #expect(recovery.body == "271501, 10 min, user@example.com\n")
        let html = try #require(recovery.html).exposed
        #expect(html.hasSuffix("<a href=\"https://x.test/?code=271501\">Tom &amp; Co 271501</a>"))
        #expect(recovery.subject == message(.recoveryCode, by: .email, from: .builtIn).subject)
        #expect(message(.verificationCode, by: .sms, from: catalog).body.exposed.hasPrefix("271501 är din"))
    }

    @Test(
        arguments: [
            ("sv/login_code_valid.sms.txt", "Kod: {{kod}}", ":1: unknown placeholder {{kod}}"),
            ("sv/login_code_valid.mail.txt", "a\nb\r\n{{code}} {{x}}", ":3: unknown placeholder {{x}}"),
            ("sv/login_code_valid.mail.txt", "{{code}}\n{{app", ":2: {{ is not closed"),
            ("sv/login_code_valid.sms.txt", "Hej", ":1: {{code}} is missing"),
            ("sv/login_code_valid.mail.txt", "Hej", ":1: {{code}} is missing"),
            ("sv/login_code_valid.mail.html", "<p>Hej</p>", ":1: {{code}} is missing"),
            ("sv/login_code_valid.sms.txt", "Hej!\n{{code}}", ":1: {{code}} must be in the first line"),
            ("sv/password_changed.mail.txt", "{{code}}", ":1: {{code}} is not available in this type"),
            (
                "sv/password_changed.mail.subject.txt", "{{code}}",
                ":1: {{code}} is not available in this type"
            ),
            ("sv/login_code_valid.mail.subject.txt", "a\nb", ":2: the subject must be a single line"),
            ("sv/login_code_valid.mail.txt", " \n", ": is empty"),
            ("de/login_code_valid.sms.txt", "{{code}}", ": is not in a language folder"),
            ("login_code_valid.sms.txt", "{{code}}", ": is not in a language folder"),
            ("sv/x/login_code_valid.sms.txt", "{{code}}", ": is not in a language folder"),
            ("sv/login.sms.txt", "{{code}}", ": is not named after a message type"),
            ("sv/login_code_valid.txt", "{{code}}", ": has none of the extensions .sms.txt"),
            ("sv/login_code_valid", "{{code}}", ": has none of the extensions .sms.txt"),
            (
                "sv/login_code_valid.mail.html", "\n<p title={{code}}>{{code}}",
                ":2: {{code}} is not allowed inside a tag"
            ),
            ("sv/login_code_valid.mail.html", "{{code}}<{{app}}>", ":1: {{app}} is not allowed"),
            (
                "sv/login_code_valid.mail.html", "{{code}}<a href='{{app}}'>",
                ":1: {{app}} is not allowed in an attribute"
            ),
            (
                "sv/login_code_valid.mail.html", "{{code}}<!-- {{app}} -->",
                ":1: {{app}} is not allowed in a comment"
            ),
            (
                "sv/login_code_valid.mail.html", "{{code}}<SCRIPT>var x = '{{app}}'</SCRIPT>",
                ":1: {{app}} is not allowed in <script>"
            ),
            (
                "sv/login_code_valid.mail.html", "{{code}}<style>p{color:{{app}}}</style>",
                ":1: {{app}} is not allowed in <style>"
            ),
        ]
    )
    func `Invalid templates are reported with their file and line`(path: String, text: String, reason: String)
        throws
    {
        let error = try #require(throws: MessageCatalog.Malformed.self) { try catalog([path: text]) }
        #expect(error.problems.count == 1)
        #expect(error.problems.first?.hasPrefix(path + reason) == true, "\(error.problems)")
    }

    @Test func `All template errors are reported together`() throws {
        let error = try #require(throws: MessageCatalog.Malformed.self) {
            try catalog([
                "sv/login_code_valid.sms.txt": "x", "fi/login_code_valid.sms.txt": "x",
                "nb/login_code_valid.sms.txt": "{{code}}",
            ])
        }
        #expect(error.problems.count == 2)
        #expect(throws: MessageCatalog.Malformed.self) {
            try MessageCatalog(replacing: ["sv/login_code_valid.sms.txt": [0xFF, 0xFE]])
        }
    }

    @Test(arguments: [
        "<b>{{app}}</b>", "a < b {{app}}", "1 <2 {{app}}", "<p title='>'>{{app}}", "<!-- <b> -->{{app}}",
        "<script>if (a < b) { '</p>' }</script>{{app}}", "<STYLE>p > a {}</STYLE >{{app}}", "<br/>{{app}}",
        "</p>{{app}}",
        "<p title=\"a'b\">{{app}}", "&lt;{{app}}&gt;",
    ])
    func `Placeholders are accepted anywhere in HTML that can contain text`(html: String) throws {
        _ = try catalog(["en/password_changed.mail.html": html])
    }
}
