// A function of the main actor, called from elsewhere.
@MainActor func show() {}

func present() {
    show()  // fault: call to main actor-isolated global function
}
