// Show the login screen when an action requires a logged-in user.
import Latchkey

// snippet.presenter
@MainActor final class LoginScreen: Presenter {
    func present(_ login: LoginPresentation) async {
        for await screen in login.screens {  // ends with the presentation
            switch screen {
            case .loading: print("…")
            case .form(let flow), .duty(_, let flow): await fillIn(flow, of: login)
            case .browser: print("Log in in the browser.")
            case .otherApp: print("Continue in \(login.otherAppName ?? "the other app").")
            case .failed(let error):
                print(error.message)
                login.dismiss()
            case .ended(let ending): print(ending)
            }
        }
    }

    private func fillIn(_ flow: Flow, of login: LoginPresentation) async {
        for node in flow.nodes { print(node.label?.text ?? "", node.messages.map(\.text)) }
        await login.submit(
            FlowSubmission(method: "password", ["identifier": "+439999999999", "password": "000000"])
        )
    }
}
// snippet.end

let latchkey = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    apiOrigins: ["https://api.example.com"]
)

// snippet.action
let screen = LoginScreen()
latchkey.presenter = screen  // held weakly

let order = HTTP.Request(.post, "/orders")
let response = try await latchkey.withSession(because: .action("buy")) { access in
    try await access.send(order, to: "https://api.example.com")  // logs in first if no user is logged in
}
// snippet.end

print(response.status)

// snippet.request
let session = try await latchkey.requestLogin()
// snippet.end

print(session.id)
