// Show the form that the server requests in each step of a login.
import Latchkey

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.shop")
// Shows a node's label and messages, and returns the user's input.
let ask = { (node: FlowNode) in JSONValue.string(readLine() ?? "") }

// snippet.flow
var flow = try await latchkey.flows.begin(.login)
var session: UserSession?
while session == nil {
    for message in flow.messages { print(message.text) }
    let buttons = flow.nodes.filter { $0.input?.kind == .submit }
    guard let button = buttons.first else { break }  // the button that the user presses
    var answers = FlowSubmission(pressing: button)
    for node in flow.nodes where node.group == .common || node.group == button.group {
        guard let input = node.input, !input.isButton, input.kind != .hidden else { continue }
        answers[input.name] = ask(node)
    }
    switch try await latchkey.flows.submit(answers, to: flow) {
    case .continues(let next, _), .completed(let next, _): flow = next
    case .signedIn(let new, _): session = new
    case .replaced(let id): flow = try await latchkey.flows.flow(flow.kind, id: id)
    default: break
    }
}
// snippet.end
