/// The messages above a form.
enum FlowMessages {
    /// An error in the summary, with the field that it is about.
    struct Failure {
        let text: String
        let field: HTML.ID?
    }

    /// Appends the summary of errors and the other messages.
    static func write(_ messages: [String], errors: [Failure], to html: inout HTML) {
        if !errors.isEmpty {
            html.add(.group, with: [.style(.alert), .role(.alert)]) { html in
                for error in errors where error.field == nil { html.paragraph(error.text) }
                let failures = errors.filter { $0.field != nil }
                guard !failures.isEmpty else { return }
                html.add(.list) { html in
                    for failure in failures {
                        html.add(.item) { html in
                            html.add(.link, with: [failure.field.map { .fragment($0) }]) { html in
                                html.text(failure.text)
                            }
                        }
                    }
                }
            }
        }
        html.status(messages)
    }
}
