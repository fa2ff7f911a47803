import LatchkeyModel

extension MessageCatalog {
    /// Thrown when template files contain errors.
    package struct Malformed: Error, Sendable {
        /// A description of each invalid file, sorted by path.
        ///
        /// Each description starts with the path and, if known, the line number.
        package let problems: [String]
    }

    /// The parts of a message that can be replaced.
    ///
    /// The raw values are file name extensions.
    private enum Part: String, CaseIterable {
        case sms = "sms.txt"
        case subject = "mail.subject.txt"
        case mail = "mail.txt"
        case html = "mail.html"
    }

    /// Creates a catalog in which the operator's files replace parts of the built-in templates.
    ///
    /// - Parameter files: The contents of the files, keyed by relative path, such as
    ///   `sv/login_code_valid.sms.txt`.
    /// - Throws: ``Malformed`` if any of the files are invalid. The error contains the first problem in each
    ///   of these files.
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

    /// Validates a file and replaces the corresponding part of a built-in template.
    private mutating func replace(_ path: String, with bytes: [UInt8]) throws(TemplateError) {
        let (language, kind, part) = try Self.place(of: path)
        let text: String
        do {
            text = try String(utf8: bytes)
        } catch {
            throw TemplateError(line: 0, reason: "is \(error)")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw TemplateError(line: 0, reason: "is empty")
        }
        var templates = self[kind, language]
        switch part {
        case .sms:
            let line = text.withoutLineEnd
            templates.sms = try Self.read(line, of: kind)
            // Phones show the first line in previews and read the code from it for autofill.
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

    /// Extracts the language, the kind and the part from a file path.
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

    /// Parses a template and makes sure that it contains `{{code}}` if and only if this kind of message has a
    /// code.
    ///
    /// - Parameters:
    ///   - text: The text of the template.
    ///   - kind: The kind of message that the template is for.
    ///   - needsCode: Whether the template must contain the `{{code}}` placeholder if the message has a
    ///     code. This is `false` for subjects, where the code is optional.
    /// - Returns: The parsed template.
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
    /// The text without its trailing line break, if there is one.
    fileprivate var withoutLineEnd: String {
        last?.isNewline == true ? String(dropLast()) : self
    }
}
