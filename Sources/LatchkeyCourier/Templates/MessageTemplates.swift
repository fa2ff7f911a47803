/// The templates for all parts of one kind of message, in one language.
struct MessageTemplates: Sendable {
    /// The text message.
    ///
    /// If this kind of message has a code, it is in the first line.
    var sms: TextTemplate<PlainFormat>
    /// The subject of the e-mail, on a single line.
    var subject: TextTemplate<PlainFormat>
    /// The plain-text version of the e-mail.
    var mail: TextTemplate<PlainFormat>
    /// The HTML version of the e-mail.
    var html: TextTemplate<HTMLFormat>

    /// Creates templates from built-in texts.
    ///
    /// If the mail has no link, the paragraphs about the link are left out.
    init(_ text: MessageText, in language: Language, withLink hasLink: Bool = true) {
        let text = hasLink ? text : text.withoutLink
        sms = TextTemplate(text.sms)
        subject = TextTemplate(text.subject)
        mail = TextTemplate(text.paragraphs.joined(separator: "\n\n") + "\n")
        html = TextTemplate(text.html(language))
    }
}

/// The built-in texts for one kind of message.
///
/// In e-mails, the code has its own paragraph.
struct MessageText: Sendable {
    /// The template for the text message.
    let sms: String
    /// The template for the subject of the e-mail.
    let subject: String
    /// Templates for the paragraphs of the e-mail.
    ///
    /// The plain text and the HTML are both generated from these paragraphs.
    let paragraphs: [String]

    /// Creates texts from template strings.
    ///
    /// - Parameters:
    ///   - sms: The template for the text message.
    ///   - subject: The template for the subject of the e-mail.
    ///   - paragraphs: Templates for the paragraphs of the e-mail, which are used for both its plain text and
    ///     its HTML.
    init(sms: String, subject: String, mail paragraphs: String...) {
        self.init(sms: sms, subject: subject, paragraphs: paragraphs)
    }

    private init(sms: String, subject: String, paragraphs: [String]) {
        self.sms = sms
        self.subject = subject
        self.paragraphs = paragraphs
    }

    /// The texts without the paragraphs about a link.
    fileprivate var withoutLink: MessageText {
        MessageText(sms: sms, subject: subject, paragraphs: paragraphs.filter { !$0.contains("{{link}}") })
    }

    /// Returns the texts with a paragraph about a link, which follows the one with the code.
    func confirmed(at paragraph: String) -> MessageText {
        var paragraphs = paragraphs
        let index = paragraphs.firstIndex(of: "{{code}}") ?? paragraphs.endIndex - 1
        paragraphs.insert(paragraph, at: index + 1)
        return MessageText(sms: sms, subject: subject, paragraphs: paragraphs)
    }

    /// Returns the HTML version of the e-mail.
    ///
    /// The HTML doesn't load any external resources or set any colors, so the e-mail follows the reader's
    /// light or dark theme.
    func html(_ language: Language) -> String {
        let body = paragraphs.map { paragraph in
            let style =
                paragraph == "{{code}}"
                ? " style=\"font:600 28px/1.4 ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px\"" : ""
            let link = #"<a href="{{link}}">{{link}}</a>"#
            return "<p\(style)>\(paragraph.replacing("{{link}}", with: link))</p>"
        }
        return """
            <!doctype html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            </head>
            <body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
            <div style="max-width:560px;margin:0 auto">
            \(body.joined(separator: "\n"))
            </div>
            </body>
            </html>

            """
    }
}
