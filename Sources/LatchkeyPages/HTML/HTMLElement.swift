extension HTML {
    /// The elements that have content.
    ///
    /// Elements whose content isn't parsed as text, such as `script` and `style`, are left out on purpose.
    package enum Element: String, Sendable {
        case html, head, title, body
        case header, main, nav
        case heading = "h1"
        case paragraph = "p"
        case group = "div"
        case span, strong, bdi, time
        case link = "a"
        case list = "ul"
        case item = "li"
        case form, fieldset, legend, label, button
    }

    /// The elements that have no content.
    package enum VoidElement: String, Sendable {
        case meta, input
        case image = "img"
        case resource = "link"
    }

    /// The classes that the stylesheet defines.
    package enum ClassName: String, Sendable, CaseIterable {
        case brand, logo
        case alert, status, error, hint
        case field, check, actions, links
        case primary, secondary
        case sections, sessions
        case words
        case unseen
    }

    /// The value of an `id`, which is unique in a page.
    package struct ID: Hashable, Sendable {
        let text: String

        private init(_ text: String) {
            self.text = text
        }

        /// Returns the id of the input with the given index.
        package static func field(_ index: Int) -> ID { ID("field-\(index)") }

        /// Returns the id of the messages about the input with the given index.
        package static func message(_ index: Int) -> ID { ID("message-\(index)") }
    }
}
