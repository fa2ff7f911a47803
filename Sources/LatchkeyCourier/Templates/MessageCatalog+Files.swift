extension MessageCatalog {
    /// The problems in template files, each with the path, the line if it is known, and the reason.
    package struct Malformed: Error, Sendable {
        /// The problems, one for each invalid file and sorted by path: `PATH: REASON` or `PATH:LINE: REASON`.
        package let problems: [String]
    }

    /// The part of a message that a file replaces, with file name extensions as raw values.
    private enum Part: String, CaseIterable {
        case sms = "sms.txt"
        case subject = "mail.subject.txt"
        case mail = "mail.txt"
        case html = "mail.html"
    }

    /// Creates a catalog of the built-in templates, with individual parts replaced by the operator's files.
    ///
    /// - Parameter files: The contents of the files, keyed by relative path, such as
    ///   `sv/login_code_valid.sms.txt`.
    /// - Throws: ``Malformed`` with the first problem of each file that cannot be used.
    package init(replacing files: [String: [UInt8]]) throws(Malformed) {
        self = .builtIn
        var problems: [String] = []
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
            do throws(TemplateError) {
                try replace(path, with: bytes)
            } catch {
                problems.append(
                    error.line == 0 ? "\(path): \(error.reason)" : "\(path):\(error.line): \(error.reason)"
                )
            }
        }
        guard problems.isEmpty else { throw Malformed(problems: problems) }
    }

    /// Validates a file and replaces the part that it contains.
    private mutating func replace(_ path: String, with bytes: [UInt8]) throws(TemplateError) {
        let (language, kind, part) = try Self.place(of: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TemplateError(line: 0, reason: "is not UTF-8")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw TemplateError(line: 0, reason: "is empty")
        }
        var templates = self[kind, language]
        switch part {
        case .sms:
            let line = text.withoutLineEnd
            templates.sms = try Self.read(line, of: kind)
            // Phones show the first line in previews, and read the code from it to fill it in automatically.
            if kind.carriesCode, !Self.hasCode(line.prefix { !$0.isNewline }) {
                throw TemplateError(line: 1, reason: "{{code}} must be in the first line")
            }
        case .subject:
            let line = text.withoutLineEnd
            guard !line.contains(where: \.isNewline) else {
                throw TemplateError(line: 2, reason: "the subject must be a single line")
            }
            templates.subject = try Self.read(line, of: kind, needsCode: false)
        case .mail:
            templates.mail = try Self.read(text, of: kind)
        case .html:
            templates.html = try Self.read(text, of: kind)
        }
        self[kind, language] = templates
    }

    /// Parses the language, the kind and the part from a path.
    private static func place(of path: String) throws(TemplateError) -> (Language, MessageKind, Part) {
        let steps = path.split(separator: "/", omittingEmptySubsequences: false)
        guard steps.count == 2, let language = Language(rawValue: String(steps[0])) else {
            let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
            throw TemplateError(line: 0, reason: "is not in a language folder: \(known)")
        }
        let name = steps[1].split(separator: ".", maxSplits: 1).map(String.init)
        guard let kind = name.first.flatMap(MessageKind.init(rawValue:)) else {
            let known = MessageKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw TemplateError(line: 0, reason: "is not named after a message type: \(known)")
        }
        guard name.count == 2, let part = Part(rawValue: name[1]) else {
            let known = Part.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
            throw TemplateError(line: 0, reason: "has none of the extensions \(known)")
        }
        return (language, kind, part)
    }

    /// Parses a template, and checks that it contains the code if and only if its kind of message has a code.
    ///
    /// - Parameters:
    ///   - text: The text of the template.
    ///   - kind: The kind of message.
    ///   - needsCode: Whether the part must contain the code; `false` for subjects, in which the code is
    ///     optional.
    /// - Returns: The template.
    /// - Throws: The first problem in the template.
    private static func read<Format>(
        _ text: String,
        of kind: MessageKind,
        needsCode: Bool = true
    ) throws(TemplateError) -> TextTemplate<Format> {
        let template = TextTemplate<Format>(text)
        if let problem = template.problems.first { throw problem }
        if kind.carriesCode, needsCode, !template.has(.code) {
            throw TemplateError(line: 1, reason: "{{code}} is missing")
        }
        if !kind.carriesCode, template.has(.code) {
            throw TemplateError(line: 1, reason: "{{code}} is not available in this type of message")
        }
        return template
    }

    private static func hasCode(_ text: Substring) -> Bool {
        TextTemplate<PlainFormat>(String(text)).has(.code)
    }
}

extension String {
    /// The text without a trailing line break.
    fileprivate var withoutLineEnd: String {
        last?.isNewline == true ? String(dropLast()) : self
    }
}
