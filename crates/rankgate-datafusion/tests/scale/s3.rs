//! A bucket, on a server that answers as S3 does: moto's, from PyPI.

use std::env;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

use crate::cluster::{Cluster, command, wait_for};
use crate::rows::{judgments_batch, rows, run_batch, split};

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs moto_server (pip install 'moto[s3]' flask flask-cors), by its path in MOTO_SERVER"]
async fn a_bucket_is_read_as_a_folder_is() {
    let folder = tempfile::tempdir().unwrap();
    let (retrieved, judged) = rows(60, 20);
    let (qrels, run) = split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 3);

    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let program = env::var("MOTO_SERVER").unwrap_or_else(|_| "moto_server".to_owned());
    let mut server = Command::new(&program);
    let server =
        server.args(["-H", "127.0.0.1", "-p", &port.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
    let _server = Server(server.spawn().unwrap_or_else(|error| panic!("{program}: {error}")));
    wait_for(port);
    let endpoint = format!("http://127.0.0.1:{port}");
    make_bucket(port, "scale");
    let store = AmazonS3Builder::new()
        .with_bucket_name("scale")
        .with_endpoint(&endpoint)
        .with_access_key_id("someone")
        .with_secret_access_key("secret")
        .with_region("us-east-1")
        .with_allow_http(true)
        .build()
        .unwrap();
    for part in ["qrels", "run"] {
        for file in 0..3 {
            let name = format!("part-{file}.parquet");
            let bytes = std::fs::read(folder.path().join(part).join(&name)).unwrap();
            store.put(&Path::from(format!("{part}/{name}")), bytes.into()).await.unwrap();
        }
    }
    store.put(&Path::from("run/_SUCCESS"), Vec::new().into()).await.unwrap();
    assert_eq!(store.list_with_delimiter(None).await.unwrap().common_prefixes.len(), 2);

    let environment = [
        ("AWS_ENDPOINT", endpoint.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "someone"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];
    let eval = |qrels: &str, run: &str, more: &[&str]| {
        let mut eval = command();
        eval.args(["eval", qrels, run, "--format", "json", "--per-query"]).args(more).envs(environment);
        let output = eval.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (_, here, _) = eval(qrels.to_str().unwrap(), run.to_str().unwrap(), &[]);
    let here = here.replace(run.to_str().unwrap(), "RUN");
    for there in ["s3://scale/run/", "s3://scale/run/part-*.parquet"] {
        let (code, found, said) = eval("s3://scale/qrels", there, &[]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(found.replace(there, "RUN"), here);
    }
    let (code, found, said) = eval("s3://scale/qrels", "s3://scale/elsewhere", &[]);
    assert_eq!((code, found.as_str()), (Some(2), ""));
    assert_eq!(said, "error: s3://scale/elsewhere: there is no Parquet file (no name ends in .parquet)\n");

    let cluster = Cluster::with(2, &environment);
    let (code, found, said) =
        eval("s3://scale/qrels", "s3://scale/run", &["--scheduler", &cluster.scheduler, "--timeout", "240"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(found.replace("s3://scale/run", "RUN"), here);
}

/// What the store itself does not do.
fn make_bucket(port: u16, name: &str) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "PUT /{name} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
