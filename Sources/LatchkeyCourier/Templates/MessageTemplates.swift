/// The templates for one kind of message and one language, with a template for each channel and part.
struct MessageTemplates: Sendable {
    /// The text message, whose first line contains the code if this kind of message has one.
    var sms: TextTemplate<PlainFormat>
    /// The subject of the e-mail, which is a single line.
    var subject: TextTemplate<PlainFormat>
    /// The plain text of the e-mail.
    var mail: TextTemplate<PlainFormat>
    /// The same e-mail as an HTML document.
    var html: TextTemplate<HTMLFormat>

    /// Creates the templates by parsing built-in texts.
    init(_ text: MessageText, in language: Language) {
        sms = TextTemplate(text.sms)
        subject = TextTemplate(text.subject)
        mail = TextTemplate(text.paragraphs.joined(separator: "\n\n") + "\n")
        html = TextTemplate(text.html(language))
    }
}

/// The built-in texts for one kind of message, with the code in a separate paragraph of the e-mail.
struct MessageText: Sendable {
    /// The template of the text message.
    let sms: String
    /// The template of the e-mail's subject.
    let subject: String
    /// The templates of the e-mail's paragraphs, from which both the plain text and the HTML are generated.
    let paragraphs: [String]

    /// Creates the texts from template strings.
    ///
    /// - Parameters:
    ///   - sms: The text message.
    ///   - subject: The subject of the e-mail.
    ///   - paragraphs: The paragraphs of the e-mail, which are also used for its HTML form.
    init(sms: String, subject: String, mail paragraphs: String...) {
        self.sms = sms
        self.subject = subject
        self.paragraphs = paragraphs
    }

    /// Returns the e-mail as HTML.
    ///
    /// The HTML loads no external resources and sets no colors, so it follows the reader's light or dark
    /// theme.
    func html(_ language: Language) -> String {
        let body = paragraphs.map { paragraph in
            let style =
                paragraph == "{{code}}"
                ? " style=\"font:600 28px/1.4 ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px\"" : ""
            return "<p\(style)>\(paragraph)</p>"
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
