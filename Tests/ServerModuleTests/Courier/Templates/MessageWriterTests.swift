import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import Testing

@Suite struct `Writing messages` {
    private func write(
        _ kind: MessageKind,
        to address: String = "user@example.com",
        by channel: Message.Channel = .email,
        in language: Language = .english,
        app: String? = "Shop",
        lifespan: Duration = .seconds(600)
    ) -> Message {
        MessageWriter().message(
            kind,
            to: address,
            by: channel,
            code: kind.carriesCode ? OneTimeCode("271501") : nil,
            details: Self.details(of: kind),
            lifespan: lifespan,
            language: language,
            app: app,
            at: Timestamp(seconds: 0),
            random: SystemRandom()
        )
    }

    private static func details(of kind: MessageKind) -> MessageDetails? {
        guard kind == .receipt || kind == .paymentMethodAdded else { return nil }
        return MessageDetails(item: "**** 4242", amount: "4.99 EUR", reference: "2c1f")
    }

    @Test(
        arguments: [
            (
                .english, 600, nil,
                "271501 is your code to confirm this number. Valid for 10 minutes. Never share it."
            ),
            (
                .english, 60, "Shop",
                "271501 is your code to confirm this number at Shop. Valid for 1 minute. Never share it."
            ),
            (
                .english, 90, nil,
                "271501 is your code to confirm this number. Valid for 90 seconds. Never share it."
            ),
            (
                .english, 7200, nil,
                "271501 is your code to confirm this number. Valid for 2 hours. Never share it."
            ),
            (
                .norwegian, 600, "Shop",
                "271501 er koden din for å bekrefte dette nummeret hos Shop. Gyldig i 10 minutter. Del den aldri med noen."
            ),
            (
                .swedish, 60, "Shop",
                "271501 är din kod för att bekräfta det här numret hos Shop. Gäller i 1 minut. Dela den aldrig med någon."
            ),
            (
                .finnish, 60, nil,
                "271501 on koodisi tämän numeron vahvistamiseen. Voimassa 1 minuutin. Älä kerro koodia muille."
            ),
            (
                .finnish, 600, "Shop",
                "271501 on koodisi tämän numeron vahvistamiseen palvelussa Shop. Voimassa 10 minuuttia. Älä kerro koodia muille."
            ),
        ] as [(Language, Int, String?, String)]
    )
    func `A text message contains the purpose and expiry of the code`(
        language: Language,
        seconds: Int,
        app: String?,
        text: String
    ) throws {
        let message = write(
            .verificationCode,
            to: "+439999999999",
            by: .sms,
            in: language,
            app: app,
            lifespan: .seconds(seconds)
        )
        #expect(message.channel == .sms && message.recipient == "+439999999999")
        #expect(message.body.exposed == text)
        #expect(message.subject == nil && message.html == nil)
        #expect(message.code == "271501" && message.expiresAt == Timestamp(seconds: Int64(seconds)))
        #expect(message.template == "verification_code_valid")
    }

    @Test(arguments: MessageKind.allCases, Language.allCases)
    func `Every kind of message has a template in every language`(kind: MessageKind, language: Language)
        throws
    {
        for app in ["Shop", nil] {
            let sms = write(kind, to: "+439999999999", by: .sms, in: language, app: app)
            let mail = write(kind, in: language, app: app)
            let texts = [sms.body, try #require(mail.subject), mail.body, try #require(mail.html)].map(
                \.exposed
            )
            for text in texts {
                #expect(!text.contains("{{") && !text.contains("  "), "\(text)")
                #expect(text.contains("Shop") == (app != nil), "\(text)")
            }
            #expect(mail.recipient == "user@example.com" && mail.channel == .email)
            #expect(texts[2].contains("user@example.com") && texts[3].contains("user@example.com"))
            for text in [texts[0], texts[2], texts[3]] {
                #expect(text.contains("271501") == kind.carriesCode)
            }
            #expect(!texts[1].contains("271501"))
            #expect(texts[3].contains("<html lang=\"\(language.rawValue)\">"))
            #expect(mail.expiresAt == (kind.carriesCode ? Timestamp(seconds: 600) : nil))
        }
    }

    @Test(arguments: MessageKind.allCases, Language.allCases)
    func `A message with a code starts with the code and fits into one text message`(
        kind: MessageKind,
        language: Language
    )
        throws
    {
        let app = "Ihmisten Kauppa Oy"
        let text = write(kind, to: "+439999999999", by: .sms, in: language, app: app).body.exposed
        #expect(text.count <= 160, "\(text.count): \(text)")
        #expect(text.unicodeScalars.allSatisfy { Self.gsm.contains($0) }, "\(text)")
        if kind.carriesCode { #expect(text.hasPrefix("271501 ")) }
    }

    @Test(arguments: MessageKind.allCases, Language.allCases)
    func `E-mails don't use external resources or colors`(kind: MessageKind, language: Language)
        throws
    {
        let html = try #require(write(kind, in: language).html).exposed.lowercased()
        for unwanted in [
            "http", "src=", "url(", "<img", "<link", "<script", "color:", "background", "@import",
        ] {
            #expect(!html.contains(unwanted))
        }
    }

    @Test func `Values are escaped in e-mails`() throws {
        let app = "<b>Tom & \"Jerry's\"</b>\r\nBcc: all@example.com\u{2028}\u{85}{{code}}"
        let message = write(.loginCode, to: "a&b'c@example.com", app: app)
        let (subject, plain, html) = (
            try #require(message.subject).exposed, message.body.exposed, try #require(message.html).exposed
        )
        #expect(
            html.contains(
                "&lt;b&gt;Tom &amp; &quot;Jerry&#39;s&quot;&lt;/b&gt;  Bcc: all@example.com  {{code}}"
            )
        )
        #expect(html.contains("a&amp;b&#39;c@example.com"))
        #expect(!html.contains("<b>"))
        #expect(subject == "Your login code for <b>Tom & \"Jerry's\"</b>  Bcc: all@example.com  {{code}}")
        #expect(plain.contains("a&b'c@example.com") && plain.contains("<b>Tom & \"Jerry's\"</b>  Bcc:"))
    }

    @Test(
        arguments: [
            ("login_code_valid", "login_code_valid"), ("recovery_code_invalid", "recovery_code_invalid"),
            ("verification_code_valid", "verification_code_valid"), ("password_changed", "stub"),
            ("registration_attempted", "stub"), ("address_changed", "stub"), ("whatever", "stub"),
        ]
    )
    func `Template names are the ones that Kratos clients expect`(template: String, type: String) {
        #expect(MessageKind.publishedType(of: template) == type)
    }

    /// The GSM 03.38 alphabet.
    ///
    /// Characters in the extension table aren't included because they count as two.
    private static let gsm = Set(
        """
        @£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§\
        ¿abcdefghijklmnopqrstuvwxyzäöñüà
        """.unicodeScalars
    )
}
