/// The structural rules that all pages comply with.
struct PageStructure {
    private let root: HTMLTree
    private(set) var violations: [String] = []

    /// Checks a page that should be in the language with the given tag.
    init(of root: HTMLTree, language: String) {
        self.root = root
        require(
            root.name == "html" && root["lang"] == language,
            "The language is \(root["lang"] ?? "missing")."
        )
        for name in ["title", "main", "h1"] {
            require(root.named(name).count == 1, "There isn't one <\(name)>.")
        }
        require(root.named("form").count <= 1, "There are several forms.")
        checkHead()
        checkContent()
        checkReferences()
        checkControls()
        checkButtons()
        checkErrors()
    }

    private mutating func require(_ holds: Bool, _ violation: @autoclosure () -> String) {
        if !holds { violations.append(violation()) }
    }

    private mutating func checkHead() {
        let title = root.first("title")?.text ?? ""
        let heading = root.first("h1")?.text ?? ""
        let plain = { (text: String) in text.filter { $0 != "\u{2068}" && $0 != "\u{2069}" } }
        require(
            !heading.isEmpty && plain(title).contains(heading),
            "The title “\(title)” isn't “\(heading)”."
        )
        require(root.first("meta") { $0["name"] == "viewport" } != nil, "There is no viewport.")
        require(
            root.named("link").map { $0["rel"] } == ["stylesheet", "icon"],
            "The page doesn't load one stylesheet and one icon."
        )
    }

    private mutating func checkContent() {
        let body = root.first("body")
        for child in body?.children ?? [] {
            guard case .element(let element) = child, ["header", "main"].contains(element.name) else {
                violations.append("There is content outside of the landmarks.")
                continue
            }
        }
        let phrasing: Set = ["a", "span", "strong", "bdi", "time", "img", "input", "label", "button"]
        for element in root.all {
            let names = element.elements.map(\.name)
            require(!["script", "style", "iframe"].contains(element.name), "There is a <\(element.name)>.")
            for attribute in element.attributes {
                require(
                    !attribute.name.hasPrefix("on") && attribute.name != "style",
                    "There is an attribute \(attribute.name)."
                )
            }
            if element.name == "ul" { require(Set(names) == ["li"], "A list has other children than items.") }
            if ["p", "h1", "button", "a", "label", "legend", "span", "bdi", "title"].contains(element.name) {
                require(phrasing.isSuperset(of: names), "<\(element.name)> contains blocks.")
                require(!element.text.isEmpty, "<\(element.name)> is empty.")
                require(!element.text.contains("{"), "“\(element.text)” has a placeholder.")
            }
            if ["a", "button", "label"].contains(element.name) {
                let isNested = element.elements.flatMap(\.all).contains {
                    ["a", "button", "input"].contains($0.name)
                }
                require(!isNested, "Controls are nested.")
            }
            if element.name == "img" { require(element["alt"] != nil, "An image has no alternative text.") }
        }
    }

    private mutating func checkReferences() {
        let ids = root.all.compactMap { $0["id"] }
        require(Set(ids).count == ids.count, "Ids are repeated: \(ids)")
        for element in root.all {
            let targets = [element["for"], element["aria-describedby"]].compactMap { $0 }
            let fragment = element["href"].flatMap { $0.hasPrefix("#") ? String($0.dropFirst()) : nil }
            for target in targets + [fragment].compactMap({ $0 }) {
                require(ids.contains(target), "\(target) doesn't exist.")
            }
            if let url = element["href"] ?? element["action"] ?? element["formaction"] ?? element["src"] {
                let scheme = url.prefix { $0 != ":" }.lowercased()
                require(!["javascript", "data", "vbscript"].contains(scheme), "\(url) is code.")
            }
        }
    }

    private mutating func checkControls() {
        let labels = root.named("label")
        for input in root.named("input") where input["type"] != "hidden" {
            let name = labels.first { $0["for"] == input["id"] }?.text ?? ""
            require(!name.isEmpty, "The field \(input["name"] ?? "") has no label.")
            require(input.ancestors.contains { $0.name == "form" }, "A field is outside of the form.")
        }
        for button in root.named("button") {
            require(button["type"] == "submit", "A button doesn't submit.")
            require(button.ancestors.contains { $0.name == "form" }, "A button is outside of the form.")
        }
        let names = root.named("button").map(\.text)
        require(Set(names).count == names.count, "Buttons have the same name: \(names)")
    }

    /// The Enter key presses the first button, which is the one that validates the fields.
    private mutating func checkButtons() {
        guard let form = root.named("form").first else { return }
        let buttons = form.named("button")
        require(!buttons.isEmpty, "The form has no button.")
        require(form["method"] == "post", "The form isn't posted.")
        require(
            form.named("input").contains { $0["name"] == "csrf_token" && $0["value"]?.isEmpty == false },
            "There is no CSRF token."
        )
        let hasPassword = form.named("input").contains { $0["type"] == "password" }
        if hasPassword {
            require(buttons.first?["value"] == "password", "The first button isn't the password's.")
        }
        let fields = form.named("input").filter { !["hidden", "checkbox"].contains($0["type"]) }
        guard !fields.isEmpty else { return }
        require(buttons.first?["formnovalidate"] == nil, "The first button doesn't validate.")
        for button in buttons.dropFirst() {
            require(button["formnovalidate"] != nil, "“\(button.text)” needs a complete form.")
        }
    }

    private mutating func checkErrors() {
        let alerts = root.all.filter { $0["role"] == "alert" }
        require(alerts.count <= 1, "There are several alerts.")
        let invalid = root.all.filter { $0["aria-invalid"] != nil }
        for field in invalid {
            require(field["aria-describedby"] != nil, "The error of a field isn't connected to it.")
            let link = alerts.first?.first("a") { $0["href"] == "#\(field["id"] ?? "")" }
            require(link != nil, "The summary doesn't link to a field with an error.")
        }
        let errors = root.all.filter { $0["class"] == "error" }
        require(errors.isEmpty == invalid.isEmpty, "An error isn't marked on its field.")
    }
}
