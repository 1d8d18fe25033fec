//! A server on loopback that answers chat completions as a script says, in the shapes of those that people run.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::loopback::request;

/// What comes back to one request.
pub(crate) enum Reply {
    /// A status, further headers with their ends of lines, a body.
    Body(u16, String, String),
}

/// What was asked so far: heads and bodies.
pub(crate) type Requests = Arc<Mutex<Vec<(String, Value)>>>;

/// A server that answers each request, counted from 0, as the function says. It ends with the test.
pub(crate) fn serve(script: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let (seen, script) = (Requests::default(), Arc::new(script));
    let kept = Arc::clone(&seen);
    std::thread::spawn(move || {
        for stream in listener.incoming().filter_map(|stream| stream.ok()) {
            let (seen, script) = (Arc::clone(&kept), Arc::clone(&script));
            // The other side may go at any time.
            std::thread::spawn(move || drop(answer(stream, &seen, &*script)));
        }
    });
    (address, seen)
}

fn answer(
    mut stream: TcpStream,
    seen: &Requests,
    script: &dyn Fn(usize, &str) -> Reply,
) -> std::io::Result<()> {
    let Some((head, body)) = request(&stream)? else { return Ok(()) };
    let body: Value = serde_json::from_slice(&body).unwrap();
    let prompt = body["messages"][0]["content"].as_str().unwrap().to_owned();
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push((head, body));
        seen.len() - 1
    };
    match script(number, &prompt) {
        Reply::Body(status, headers, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} X\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n"
            );
            stream.write_all((head + &body).as_bytes())
        }
    }
}

/// The shapes of a chat completion, as these servers send them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    OpenAi,
    LlamaCpp,
    Ollama,
    Vllm,
}

pub(crate) const SHAPES: [Shape; 4] = [Shape::OpenAi, Shape::LlamaCpp, Shape::Ollama, Shape::Vllm];

/// A completion with this content that ended for this reason.
pub(crate) fn completion(shape: Shape, content: &str, finish: &str) -> Reply {
    let usage = json!({"prompt_tokens": 512, "completion_tokens": 40, "total_tokens": 552});
    Reply::Body(
        200,
        "Content-Type: application/json\r\n".into(),
        shaped(shape, content, finish, usage).to_string(),
    )
}

/// The same with tokens as this server counts them.
pub(crate) fn shaped(shape: Shape, content: &str, finish: &str, usage: Value) -> Value {
    match shape {
        // platform.openai.com/docs/api-reference/chat/object
        Shape::OpenAi => json!({
            "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", "object": "chat.completion", "created": 1_741_569_952,
            "model": "gpt-4.1-2025-04-14", "service_tier": "default", "system_fingerprint": "fp_06737a9306",
            "choices": [{
                "index": 0, "logprobs": null, "finish_reason": finish,
                "message": {"role": "assistant", "content": content, "refusal": null, "annotations": []},
            }],
            "usage": usage,
        }),
        // llama.cpp, tools/server
        Shape::LlamaCpp => json!({
            "choices": [{"finish_reason": finish, "index": 0, "message": {"role": "assistant", "content": content}}],
            "created": 1_757_141_666, "id": "chatcmpl-ecQULm0WqPrftUqjPZO1CFYeDjGZNbDu", "model": "gpt-3.5-turbo",
            "object": "chat.completion", "system_fingerprint": "b6250-e92d53b2", "usage": usage,
            "timings": {"prompt_n": 512, "prompt_ms": 30.958, "predicted_n": 40, "predicted_ms": 661.064},
        }),
        // Ollama, openai/openai.go
        Shape::Ollama => json!({
            "id": "chatcmpl-123", "object": "chat.completion", "created": 1_741_569_952, "model": "qwen2.5:7b",
            "system_fingerprint": "fp_ollama", "usage": usage,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}],
        }),
        // vLLM, entrypoints/openai/protocol.py
        Shape::Vllm => json!({
            "id": "chatcmpl-7f6a", "object": "chat.completion", "created": 1_741_569_952, "model": "Qwen/Qwen2.5-7B-Instruct",
            "choices": [{
                "index": 0, "logprobs": null, "finish_reason": finish, "stop_reason": null, "token_ids": null,
                "message": {
                    "role": "assistant", "content": content, "refusal": null, "annotations": null, "audio": null,
                    "function_call": null, "tool_calls": [], "reasoning": null, "reasoning_content": null,
                },
            }],
            "usage": usage, "prompt_logprobs": null, "kv_transfer_params": null, "service_tier": null,
        }),
    }
}
