/// The texts of one kind of message in one language.
struct MessageTemplates: Sendable {
    var sms: TextTemplate<PlainFormat>
    var subject: TextTemplate<PlainFormat>
    var mail: TextTemplate<PlainFormat>
    var html: TextTemplate<HTMLFormat>

    /// Makes the templates of a built-in text.
    init(_ text: MessageText, _ language: Language) {
        sms = TextTemplate(text.sms)
        subject = TextTemplate(text.subject)
        mail = TextTemplate(text.paragraphs.joined(separator: "\n\n") + "\n")
        html = TextTemplate(text.html(language))
    }
}

/// A built-in text; the mail has one paragraph for each element, and a code stands in one of its own.
struct MessageText: Sendable {
    let sms: String
    let subject: String
    let paragraphs: [String]

    init(sms: String, subject: String, mail paragraphs: String...) {
        self.sms = sms
        self.subject = subject
        self.paragraphs = paragraphs
    }

    /// The mail as HTML: nothing from elsewhere, no colours of its own, so that a dark screen stays dark.
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
