import LatchkeyCore
import LatchkeyWire

/// A flow's form as shown on a terminal.
///
/// The form consists of the methods, the inputs that all methods share, and other buttons.
struct FlowForm: Hashable, Sendable {
    /// A way to submit the form.
    struct Method: Hashable, Sendable {
        /// The button that submits the method.
        let button: FlowNode
        /// The inputs that only this method uses.
        let fields: [FlowNode]

        /// The name of the method, such as `password`.
        var name: String? { button.input?.value?.text }
    }

    /// The inputs that all methods share.
    let shared: [FlowNode]

    /// The methods that the user can choose from.
    let methods: [Method]

    /// Buttons that do not submit the inputs, such as the one that requests another code.
    let actions: [FlowNode]

    /// Divides the nodes of a flow's form into shared fields, methods and actions.
    ///
    /// Hidden and disabled inputs are left out.
    init(_ flow: Flow) {
        let fields = flow.nodes.filter { node in
            node.input.map { !$0.isButton && !$0.isDisabled && $0.kind != .hidden } ?? false
        }
        let buttons = flow.nodes.filter { $0.input?.kind == .submit && $0.input?.isDisabled == false }
        shared = fields.filter { $0.group == .common }
        methods = buttons.filter { $0.name == "method" }.map { button in
            Method(button: button, fields: fields.filter { $0.group == button.group && $0.group != .common })
        }
        actions = buttons.filter { $0.name != "method" }
    }

    /// Whether the form has any fields to fill in, including the fields that all methods share.
    var hasFields: Bool {
        !shared.isEmpty || methods.contains { !$0.fields.isEmpty }
    }
}
